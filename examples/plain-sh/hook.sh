#!/bin/sh
# Keeps the agent's hands off lockfiles: the package manager writes them. Needs nothing but sh and grep, and shows the bare wire:
# the event comes as JSON on stdin, exit code 2 blocks, and what stands on stderr is the reason that the model reads.
#
# sh cannot read JSON. This looks for the text of the field "file_path", which is safe as far as it goes: inside a JSON string
# every quote has a backslash, so file content cannot look like the field. It does not decode escapes (\u006c for l), which
# agents do not write for plain letters, and it cannot tell whether the rest of the JSON is valid. Shell commands are not seen.

refuse() {
  echo "$1" >&2
  exit 2
}

names='package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|poetry\.lock|uv\.lock|composer\.lock|Gemfile\.lock|go\.sum'
event=$(cat)

# A guard that cannot see the file blocks. This also holds if grep is missing.
case $event in
'{'*'}') ;;
*) refuse "The lockfile guard got no event on stdin, so it blocks." ;;
esac
printf '%s\n' "$event" | LC_ALL=C grep -Eq '"file_path"[[:space:]]*:[[:space:]]*"' ||
  refuse "The lockfile guard sees no file_path in the event, so it blocks. Configure it for Write, Edit and MultiEdit only."

# -i, because some file systems do not tell yarn.lock from Yarn.lock.
if printf '%s\n' "$event" | LC_ALL=C grep -Eiq '"file_path"[[:space:]]*:[[:space:]]*"(([^"\\]|\\.)*(/|\\\\))?('"$names"')"'; then
  refuse "Lockfiles are not edited by hand. Change the manifest and run the package manager, which writes the lockfile itself."
fi
