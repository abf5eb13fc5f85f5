#!/usr/bin/env python3
"""Keeps the agent's file tools away from .env files and private keys.

The bare wire, without the SDK: one JSON object on stdin, one on stdout. Shell commands such as `cat .env` are not seen, nor is
a search of a whole folder, which may show lines of an .env in it: only one that names such files.
"""

import fnmatch
import json
import os
import sys

SECRET = (".env", ".env.*", ".envrc", "*.pem", "*.p12", "id_rsa", "id_ecdsa", "id_ed25519", ".netrc", ".pgpass")
HARMLESS = ("*.example", "*.sample", "*.template")


def is_secret(path: str) -> bool:
    # Some file systems do not tell .env from .ENV.
    name = os.path.basename(path).lower()
    return any(fnmatch.fnmatchcase(name, shape) for shape in SECRET) and not any(fnmatch.fnmatchcase(name, shape) for shape in HARMLESS)


def names_secret(glob: str) -> bool:
    # Read generously: "*.{pem,ts}" is "*.pem" and "*.ts". What fits every name, or every name with this end, is a search like any other.
    start, _, rest = glob.lower().rpartition("/")[2].partition("{")
    choices, _, end = rest.partition("}")
    names = [start + choice + end for choice in choices.split(",")]
    return any(is_secret(name) or any(fnmatch.fnmatchcase(shape.replace("*", "x"), name) for shape in SECRET) for name in names if name.strip("*"))


def answer(event: dict) -> None:
    tool, given = event["tool_name"], event["tool_input"]
    # A search without a path is one of the current folder.
    named = given.get("path", ".") if tool == "Grep" else given["notebook_path" if tool == "NotebookEdit" else "file_path"]
    path = os.path.join(event["cwd"], named)
    # A link with a harmless name still leads to the secret.
    if not is_secret(path) and not is_secret(os.path.realpath(path)):
        if tool != "Grep" or not names_secret(given.get("glob", "")):
            return
        path = given["glob"]
    reason = f"{os.path.basename(path)} holds secrets. Ask the user for what you need, or read the example file beside it."
    decision = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason}
    print(json.dumps({"hookSpecificOutput": decision}))


try:
    answer(json.load(sys.stdin.buffer))
except Exception as error:
    # An uncaught exception ends Python with exit code 1, which lets the call through. A guard that fails blocks: exit code 2.
    print(f"The guard for secret files failed, so it blocks: {error!r}", file=sys.stderr)
    sys.exit(2)
