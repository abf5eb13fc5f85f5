#!/usr/bin/env python3
"""Keeps the agent's file tools away from .env files and private keys.

The bare wire, without the SDK: one JSON object on stdin, one on stdout. Shell commands such as `cat .env` are not seen.
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


def answer(event: dict) -> None:
    path = os.path.join(event["cwd"], event["tool_input"]["file_path"])
    # A link with a harmless name still leads to the secret.
    if not is_secret(path) and not is_secret(os.path.realpath(path)):
        return
    reason = f"{os.path.basename(path)} holds secrets. Ask the user for what you need, or read the example file beside it."
    decision = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason}
    print(json.dumps({"hookSpecificOutput": decision}))


try:
    answer(json.load(sys.stdin.buffer))
except Exception as error:
    # An uncaught exception ends Python with exit code 1, which lets the call through. A guard that fails blocks: exit code 2.
    print(f"The guard for secret files failed, so it blocks: {error!r}", file=sys.stderr)
    sys.exit(2)
