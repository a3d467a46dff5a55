"""A program that needs a newer C library than any host has."""

from pathlib import Path


def elf_hash(name: bytes) -> bytes:
    """Of a version's name, as the loader compares it before the name (System V ABI)."""
    value = 0
    for byte in name:
        value = (value << 4) + byte
        value = (value ^ (value & 0xF0000000) >> 24) & 0x0FFFFFFF
    return value.to_bytes(4, "little")


def ask_for_a_newer_c_library(program: Path) -> None:
    """The version that main's start needs becomes one that no host has."""
    needed, missing = b"GLIBC_2.34", b"GLIBC_2.99"
    content = program.read_bytes()
    assert needed in content, "the program needs no glibc 2.34"
    content = content.replace(needed + b"\0", missing + b"\0")
    program.write_bytes(content.replace(elf_hash(needed), elf_hash(missing)))
