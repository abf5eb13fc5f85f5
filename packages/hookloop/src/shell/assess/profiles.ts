import type { Profile, Risk } from "./types.ts";

/** What a fact is about. */
export type FactKind =
  | "delete-vital"
  | "delete-outside"
  | "delete-found"
  | "delete-found-temporary"
  | "delete-unknown"
  | "delete-beyond-recovery"
  | "delete-outside-gently"
  | "delete-work"
  | "delete-tree"
  | "delete-files"
  | "delete-temporary"
  | "overwrite-device"
  | "overwrite-system"
  | "overwrite-outside"
  | "empty-file"
  | "mirror-deletes"
  | "git-discards-work"
  | "git-rewrites-history"
  | "git-rewrites-topic"
  | "git-loses-reference"
  | "git-runs-program"
  | "git-looks-elsewhere"
  | "git-skips-checks"
  | "runs-download"
  | "runs-input"
  | "runs-hidden-text"
  | "inline-delete"
  | "inline-delete-tree"
  | "inline-unknown-command"
  | "runs-helper"
  | "loads-code"
  | "unusual-program"
  | "impostor-program"
  | "foreign-shell"
  | "takes-over-rights"
  | "opens-permissions"
  | "changes-ownership"
  | "changes-users"
  | "raises-rights"
  | "reads-secret"
  | "looks-near-secrets"
  | "changes-secret"
  | "sends-secret"
  | "sends-file"
  | "reverse-shell"
  | "stops-machine"
  | "kills-broadly"
  | "kills-process"
  | "stops-service"
  | "stops-system-service"
  | "opens-firewall"
  | "starts-at-login"
  | "schedules-work"
  | "hides-traces"
  | "exhausts-machine"
  | "destroys-service"
  | "changes-service"
  | "destroys-data"
  | "deletes-data"
  | "publishes-package"
  | "withdraws-package"
  | "removes-packages"
  | "unreadable"
  | "nested-too-deep"
  | "tripwire";

type Row = readonly [standard: Risk, strict: Risk, paranoid: Risk];

const DENY: Row = ["deny", "deny", "deny"];
const ASK: Row = ["ask", "ask", "deny"];
const ASK_THEN_DENY: Row = ["ask", "deny", "deny"];
const ASK_IF_STRICT: Row = ["allow", "ask", "ask"];
const ASK_IF_PARANOID: Row = ["allow", "allow", "ask"];

/** What each kind of fact means in each profile. */
const TABLE: Readonly<Record<FactKind, Row>> = {
  // Files and disks
  "delete-vital": DENY,
  "delete-outside": DENY,
  "delete-found": DENY,
  "delete-found-temporary": ["allow", "ask", "deny"],
  "delete-unknown": DENY,
  "delete-beyond-recovery": DENY,
  "delete-outside-gently": ASK_THEN_DENY,
  "delete-work": DENY,
  "delete-tree": ASK,
  "delete-files": ASK_IF_STRICT,
  "delete-temporary": ASK_IF_PARANOID,
  "overwrite-device": DENY,
  "overwrite-system": DENY,
  "overwrite-outside": ASK_IF_STRICT,
  "empty-file": ASK,
  "mirror-deletes": DENY,
  // Git
  "git-discards-work": DENY,
  "git-rewrites-history": DENY,
  "git-rewrites-topic": ASK_THEN_DENY,
  "git-loses-reference": ASK_THEN_DENY,
  "git-runs-program": DENY,
  "git-looks-elsewhere": ASK,
  "git-skips-checks": ASK_IF_STRICT,
  // Code from elsewhere
  "runs-download": DENY,
  "runs-input": DENY,
  "runs-hidden-text": DENY,
  "inline-delete": ASK_THEN_DENY,
  "inline-delete-tree": DENY,
  "inline-unknown-command": DENY,
  "runs-helper": ASK,
  "loads-code": ASK_THEN_DENY,
  "unusual-program": ASK,
  "impostor-program": DENY,
  "foreign-shell": DENY,
  // Rights
  "opens-permissions": DENY,
  "changes-ownership": DENY,
  "changes-users": DENY,
  "raises-rights": ASK_THEN_DENY,
  "takes-over-rights": DENY,
  // Secrets
  "reads-secret": DENY,
  "looks-near-secrets": ASK_THEN_DENY,
  "changes-secret": DENY,
  "sends-secret": DENY,
  "sends-file": ASK_IF_STRICT,
  "reverse-shell": DENY,
  // The machine
  "stops-machine": DENY,
  "kills-broadly": DENY,
  "kills-process": ASK_IF_PARANOID,
  "stops-service": ASK_THEN_DENY,
  "stops-system-service": DENY,
  "opens-firewall": DENY,
  "starts-at-login": DENY,
  "schedules-work": ASK_THEN_DENY,
  "hides-traces": DENY,
  "exhausts-machine": DENY,
  // Services
  "destroys-service": DENY,
  "changes-service": ASK_THEN_DENY,
  "destroys-data": DENY,
  "deletes-data": ASK_THEN_DENY,
  "publishes-package": ASK_THEN_DENY,
  "withdraws-package": DENY,
  "removes-packages": ASK_THEN_DENY,
  // What reading cannot tell
  unreadable: ASK_THEN_DENY,
  "nested-too-deep": DENY,
  tripwire: ASK_THEN_DENY,
};

const COLUMN: Readonly<Record<Profile, 0 | 1 | 2>> = { standard: 0, strict: 1, paranoid: 2 };

export const FACT_KINDS: readonly FactKind[] = Object.keys(TABLE) as FactKind[];

/** How a profile judges a kind of fact. */
export function riskOf(kind: FactKind, profile: Profile): Risk {
  return TABLE[kind][COLUMN[profile]];
}
