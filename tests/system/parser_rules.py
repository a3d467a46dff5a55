"""How eight public parsers read nccl-tests' table, restated: text in, names and numbers out."""

import re

Reading = dict[str, float]
NUMBER = r"\d+\.?\d*"
HEADING = r"\b(size\s+count\s+type\s+redop\s+root(\s+time\s+algbw\s+busbw\s+#wrong){2})\b"
ROW = (r"^\s*(\d+)\s+\d+\s+(?:float|double|int|half)\s+(?:sum|prod|max|min|none)\s+-?\d+"
       rf"\s+{NUMBER}\s+{NUMBER}\s+({NUMBER})\s+(?:\d+|N/A)"
       rf"\s+{NUMBER}\s+{NUMBER}\s+({NUMBER})\s+(?:\d+|N/A)")


def superbench(text: str) -> Reading:
    lines = text.splitlines()
    begin = max(i for i, line in enumerate(lines) if "out-of-place" in line)
    end = next(i for i, line in enumerate(lines) if "Out of bounds values" in line)
    table = lines[begin:end]
    names = next(line for line in table if "time" in line and "busbw" in line)[1:].split()
    from_end = names.index("busbw") - len(names)
    rows = [line.split() for line in table if re.match(r" *\d", line)]
    return {row[0]: float(row[from_end]) for row in rows if int(row[0]) != 0}


def cloudai(text: str) -> Reading:
    footer = "# Out of bounds values" in text and "# Avg bus bandwidth" in text
    if not footer or not re.search(HEADING, text) or re.search("Test (NCCL )?failure", text):
        return {}
    rows = [line.split() for line in text.splitlines() if re.match(r"\d", line.strip())]
    return {row[0]: float(row[11]) for row in rows if len(row) == 13}


def aws_csv(text: str) -> Reading:
    found = [re.match(ROW, line) for line in text.splitlines()]
    rows = {row[1]: float(row[3]) for row in found if row}
    average = re.search(rf"# Avg bus bandwidth\s*:\s*({NUMBER})", text)
    return rows | ({"average": float(average[1])} if rows and average else {})


def aws_health(text: str) -> Reading:
    rates = [float(line.split()[-2]) for line in text.splitlines() if re.match(r"\s+[0-9]", line)]
    return {"best": max(rates)} if rates else {}


def gcp(text: str) -> Reading:
    read: Reading = {}
    for tokens in (line.split() for line in text.splitlines() if not line.startswith("#")):
        if len(tokens) == 13 and tokens[2] == "float":
            read[str(int(float(tokens[0])))] = int(float(tokens[11]))
    average = re.search(r"# Avg bus bandwidth\s*:\s*(\d+)", text)
    return read | ({"average": int(average[1])} if read and average else {})


def azure(text: str) -> Reading:
    for line in text.splitlines():
        if "FAILED" in line:
            return {"failed": 1}
        if "bandwidth" in line:
            return {"average": float(line.split()[5])}
    return {}


def ncclscout(text: str) -> Reading:
    for line in text.splitlines():
        tokens, lower = line.split(), line.lower()
        passed = "UTC" in line or "mpi" in lower or lower.startswith(("#", "fri"))
        if len(tokens) > 1 and not passed and re.fullmatch(NUMBER, tokens[-2]):
            return {"first": float(tokens[-2])}
    return {}


def oci_and_cvs(text: str) -> Reading:
    fields = [line.split()[5] for line in text.splitlines() if "Avg bus bandwidth" in line]
    cvs = re.search(r"#\sAvg bus bandwidth\s+:\s+([0-9\.]+)", text)
    return {"oci": float(fields[0]), "cvs": float(cvs[1])} if fields and cvs else {}
