#!/usr/bin/env python3
"""linerate doctor hang --ras, beside a service that answers as NCCL's does."""

from __future__ import annotations

import socketserver
import threading

from doctor import DoctorTest
from support import main

STATUS = """NCCL version 2.27.3 compiled with CUDA 12.9

Communicators... (0.00s)
=============

Errors
======

Warnings
========

#0-0 (00aa) MISMATCH
  Communicator ranks have different AllReduce operation counts
  3 ranks have launched up to operation 42
  Rank 3 has launched up to operation 41 -- GPU 3 managed by process 17 on node 10.0.0.3

"""


class Service(socketserver.StreamRequestHandler):
    greeting, status = "SERVER PROTOCOL 2\n", STATUS

    def handle(self) -> None:
        assert self.rfile.readline().startswith(b"CLIENT PROTOCOL ")
        self.wfile.write(self.greeting.encode())
        assert self.rfile.readline() == b"VERBOSE STATUS\n"
        self.wfile.write(self.status.encode())


class DoctorRas(DoctorTest):
    words = ("doctor", "hang")

    def ask(self, *words: str, **answers: str) -> tuple[int, str, str]:
        service = type("It", (Service,), answers)
        with socketserver.ThreadingTCPServer(("127.0.0.1", 0), service) as server:
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, daemon=True).start()
            done = self.doctor("--ras", f"127.0.0.1:{server.server_address[1]}", *words)
            server.shutdown()
        return done.returncode, done.stdout, done.stderr

    def test_names_the_rank_that_keeps_the_others_waiting(self) -> None:
        code, out, err = self.ask("--fail-on", "problem")
        self.assertEqual((code, err), (3, ""))
        self.assertIn("NCCL version 2.27.3", out)
        self.assertIn("problem: ras-behind: communicator 00aa\n", out)
        self.assertIn("rank 3 (GPU 3 managed by process 17 on node 10.0.0.3) up to operation 41",
                      out)

    def test_says_where_all_ranks_agree(self) -> None:
        code, out, _ = self.ask("--fail-on", "warning", status=STATUS.split("#0-0")[0])
        self.assertEqual(code, 0)
        self.assertIn("info: ras-agrees: all communicators\n", out)

    def test_refuses_a_stranger_and_half_an_answer(self) -> None:
        for answers in ({"greeting": "HTTP/1.1 400\n"}, {"greeting": ""},
                        {"status": STATUS.split("Warnings")[0]}, {"status": ""}):
            code, out, err = self.ask(**answers)
            self.assertEqual((code, out, err.count("\n")), (2, "", 1), err)

    def test_says_that_nobody_answers(self) -> None:
        done = self.doctor("--ras", "127.0.0.1:1")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("127.0.0.1:1", done.stderr)

    def test_refuses_what_is_no_address(self) -> None:
        for word in ("", ":28028", "node:port", "node:99999"):
            done = self.doctor("--ras", word)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)


if __name__ == "__main__":
    main()
