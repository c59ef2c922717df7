#!/usr/bin/env python3
"""Speaks docs/agent.md with an agent, as that page has it. Usage:
agent_test.py WARPCHECK                             with `warpcheck serve --agent`
agent_test.py --agent PORT DEVICE-HOST [TOKEN]      with an agent on 127.0.0.1 whose device has that address for itself;
                                                    what its hello does not list is skipped
"""

import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile


class Refused(Exception):
    """The answer has `error`."""


class Session:
    """One session; events that come between answers are kept."""

    def __init__(self, port, token=None):
        self.tcp = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.lines = self.tcp.makefile("r", encoding="utf-8", newline="\n")
        self.events = []
        self.id = 0
        hello = {"version": 1}
        if token is not None:
            hello["token"] = token
        self.hello = self.ask("hello", **hello)
        for name in self.hello:
            assert name in ("id", "version", "agent", "device", "firmware", "serial", "port", "sctp", "operations", "messages",
                            "events", "rights", "hashes", "extensions", "abilities", "limits"), name
        for name in ("agent", "device", "firmware", "serial"):
            assert isinstance(self.hello.get(name, ""), str), self.hello

    def can(self, list_name, name):
        return name in self.hello.get(list_name, [name])

    def line(self):
        text = self.lines.readline()
        if not text:
            raise EOFError("the agent has ended the session")
        return json.loads(text)

    def ask(self, op, **fields):
        self.id += 1
        request = {"id": self.id, "op": op, **fields}
        self.tcp.sendall(json.dumps(request).encode() + b"\n")
        while True:
            answer = self.line()
            if "event" in answer:
                self.events.append(answer)
            elif "error" in answer:
                raise Refused(answer["error"]["code"], answer["error"].get("field"), answer["error"]["text"])
            else:
                assert answer["id"] == self.id, answer
                return answer

    def await_event(self, name):
        for event in self.events:
            if event["event"] == name:
                self.events.remove(event)
                return event
        while True:
            event = self.line()
            if event.get("event") == name:
                return event
            self.events.append(event)

    def end(self):
        self.lines.close()
        self.tcp.close()


def refused(code, field, call, *arguments, **fields):
    try:
        call(*arguments, **fields)
    except Refused as error:
        assert error.args[:2] == (code, field), error.args
        assert error.args[2] and "\n" not in error.args[2]
        return
    raise AssertionError("not refused: %s %s" % (arguments, fields))


def check_memory(agent):
    region = agent.ask("register", size=8, to="0x100", fill="6162", rights=["read"])
    assert region["size"] == 8 and int(region["to"], 16) >= 0, region
    stag = region["stag"]
    assert agent.ask("read", stag=stag, size=8)["data"] == b"abababab".hex()
    agent.ask("write", stag=stag, offset=1, data=b"xyz".hex())
    assert agent.ask("read", stag=stag, offset=1, size=4)["data"] == b"xyza".hex()
    if agent.can("operations", "hash"):
        assert agent.ask("hash", stag=stag, hash="sha512")["hash"] == hashlib.sha512(b"axyzabab").hexdigest()
    refused("argument", "offset", agent.ask, "read", stag=stag, offset=8, size=1)
    agent.ask("invalidate", stag=stag)
    assert agent.ask("read", stag=stag, size=1)["data"] == "61"
    agent.ask("deregister", stag=stag)
    refused("region", "stag", agent.ask, "read", stag=stag, size=1)


def check_refusals(agent):
    refused("unsupported", "op", agent.ask, "frob")
    refused("argument", "size", agent.ask, "register", size=1 << 40)
    refused("argument", "rights", agent.ask, "register", rights=["fly"])
    refused("argument", None, agent.ask, "ping", pong=True)
    refused("connection", None, agent.ask, "post", message="send")
    refused("connection", "connection", agent.ask, "close", connection=7)
    refused("argument", "host", agent.ask, "connect", port=7)
    agent.ask("ping")


def check_conversation(port, host="127.0.0.1", token=None):
    """Two devices of two sessions talk with each other."""
    one, two = Session(port, token), Session(port, token)
    whole = one.can("messages", "verify")
    two.ask("configure", ird=4)
    two.ask("receives", count=2, size=64)
    target = two.ask("register", size=64, rights=["read", "write", "atomic", "persist", "verify"], persistent=True,
                     hash="sha256") if whole else two.ask("register", size=64)
    sink = one.ask("register", size=5)
    one.ask("configure", rev=2, enhanced=True, private_data=b"hi".hex())
    number = one.ask("connect", host=host, port=two.hello["port"])["connection"]
    terms = one.await_event("established")
    assert terms["connection"] == number and terms.get("rev", 2) == 2 and terms.get("crc") in (None, True), terms
    two.await_event("established")
    to = int(target["to"], 16)
    requests = (
        {"message": "write", "stag": target["stag"], "to": hex(to + 8), "data": b"hello".hex()},
        {"message": "fetch_add", "stag": target["stag"], "to": hex(to), "add": "0x7"},
        {"message": "fetch_add", "stag": target["stag"], "to": hex(to), "add": "0x1"},
        {"message": "flush", "stag": target["stag"], "to": hex(to + 8), "size": 5},
        {"message": "verify", "stag": target["stag"], "to": hex(to + 8), "size": 5},
        {"message": "read", "sink_stag": sink["stag"], "source_stag": target["stag"], "source_to": hex(to + 8)},
        {"message": "send_se", "data": b"done".hex()})
    posts = [one.ask("post", **fields)["post"] for fields in requests if one.can("messages", fields["message"])]
    done = [one.await_event("completed") for _ in posts]
    # siw completes a Send before an earlier Read.
    assert sorted(event["post"] for event in done) == posts and {event["status"] for event in done} == {"done"}, done
    if whole:
        check_extensions(posts, done, two, target["stag"])
    message = two.await_event("message")
    # A device that cannot tell the kind omits it.
    assert message.get("message", None if whole else "send_se") == "send_se", message
    assert (message["msn"], message["data"]) == (1, b"done".hex()), message
    assert one.ask("read", stag=sink["stag"], size=5)["data"] == b"hello".hex()
    check_end(one, two)


def check_extensions(posts, done, two, stag):
    assert [event["post"] for event in done] == posts, done
    assert (done[1]["original"], done[2]["original"]) == ("0x0", "0x7"), done
    assert done[4]["hash"] == hashlib.sha256(b"hello").hexdigest(), done
    assert two.ask("read", stag=stag, offset=8, size=5, medium=True)["data"] == b"hello".hex()


def check_answer(port, host="127.0.0.1", token=None):
    """A Request waits for the ULP, which then rejects it."""
    one, two = Session(port, token), Session(port, token)
    two.ask("configure", hold=True)
    one.ask("connect", host=host, port=two.hello["port"])
    two.ask("answer", connection=two.await_event("requested")["connection"], reject=True)
    one.await_event("rejected")
    one.end()
    two.end()


def check_end(one, two):
    one.ask("post", message="write", stag=1, data="00")
    if one.can("operations", "local_error"):  # siw reports no error of the peer
        assert two.await_event("error")["terminates"] is True
    assert one.await_event("closed")["how"] == "fin"
    # An agent that does not know the connection of a Terminate omits it while both are open.
    told = [event["error"] for event in one.events if event["event"] == "terminate"]
    assert told == ["1/1/00"] or (told == [] and not one.can("operations", "local_error")), told
    refused("connection", None, one.ask, "close")
    one.end()
    two.end()


def check_session(port, host="127.0.0.1", token=None):
    """A session that ends takes its connections with it."""
    one, two = Session(port, token), Session(port, token)
    one.ask("connect", host=host, port=two.hello["port"])
    two.await_event("established")
    one.end()
    assert two.await_event("closed")["how"] in ("fin", "rst")
    two.end()


def begin(program, *options):
    process = subprocess.Popen([program, "serve", "--listen", "127.0.0.1:0", "--quiet", "--agent", "0", *options],
                               stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        if line.startswith("agent on "):
            return process, int(line.rsplit(":", 1)[1])
    raise AssertionError("serve says nothing of its agent")


def finish(process):
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0, process.returncode


def check_foreign(port, host, token=None):
    agent = Session(port, token)
    check_memory(agent)
    check_refusals(agent)
    agent.end()
    check_conversation(port, host, token)
    check_answer(port, host, token)
    check_session(port, host, token)


def main(program):
    process, port = begin(program)
    agent = Session(port)
    assert agent.hello["version"] == 1 and agent.hello["port"] > 0, agent.hello
    check_memory(agent)
    check_refusals(agent)
    agent.end()
    check_conversation(port)
    check_answer(port)
    check_session(port)
    finish(process)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "token")
        with open(path, "w", encoding="utf-8") as file:
            file.write("open sesame\n")
        process, port = begin(program, "--token-file", path)
        refused("token", None, Session, port)
        refused("token", None, Session, port, "open says me")
        Session(port, "open sesame").end()
        finish(process)


if sys.argv[1] == "--agent":
    check_foreign(int(sys.argv[2]), *sys.argv[3:])
else:
    main(sys.argv[1])
