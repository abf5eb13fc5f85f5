import { expect, test } from "vitest";
import { FACT_KINDS, type Risk, riskOf } from "./rule.ts";

const LEVEL: Readonly<Record<Risk, number>> = { allow: 0, ask: 1, deny: 2 };

test("a stricter profile never loosens a kind of fact", () => {
  for (const kind of FACT_KINDS) {
    const levels = (["standard", "strict", "paranoid"] as const).map((profile) => LEVEL[riskOf(kind, profile)]);
    expect([...levels].sort()).toEqual(levels);
  }
});

test("paranoid lets no fact pass in silence", () => {
  expect(FACT_KINDS.filter((kind) => riskOf(kind, "paranoid") === "allow")).toEqual([]);
});

test("the table is what the documentation says", () => {
  const rows = FACT_KINDS.map((kind) => `${kind}: ${riskOf(kind, "standard")} ${riskOf(kind, "strict")} ${riskOf(kind, "paranoid")}`);
  expect(rows).toMatchInlineSnapshot(`
    [
      "delete-vital: deny deny deny",
      "delete-outside: deny deny deny",
      "delete-found: deny deny deny",
      "delete-found-temporary: allow ask deny",
      "delete-unknown: deny deny deny",
      "delete-beyond-recovery: deny deny deny",
      "delete-outside-gently: ask deny deny",
      "delete-work: deny deny deny",
      "delete-tree: ask ask deny",
      "delete-files: allow ask ask",
      "delete-temporary: allow allow ask",
      "overwrite-device: deny deny deny",
      "overwrite-system: deny deny deny",
      "overwrite-outside: allow ask ask",
      "empty-file: ask ask deny",
      "mirror-deletes: deny deny deny",
      "git-discards-work: deny deny deny",
      "git-rewrites-history: deny deny deny",
      "git-rewrites-topic: ask deny deny",
      "git-loses-reference: ask deny deny",
      "git-runs-program: deny deny deny",
      "git-looks-elsewhere: ask ask deny",
      "git-skips-checks: allow ask ask",
      "runs-download: deny deny deny",
      "runs-input: deny deny deny",
      "runs-hidden-text: deny deny deny",
      "inline-delete: ask deny deny",
      "inline-delete-tree: deny deny deny",
      "inline-unknown-command: deny deny deny",
      "runs-helper: ask ask deny",
      "loads-code: ask deny deny",
      "unusual-program: ask ask deny",
      "impostor-program: deny deny deny",
      "foreign-shell: deny deny deny",
      "opens-permissions: deny deny deny",
      "changes-ownership: deny deny deny",
      "changes-users: deny deny deny",
      "raises-rights: ask deny deny",
      "takes-over-rights: deny deny deny",
      "reads-secret: deny deny deny",
      "looks-near-secrets: ask deny deny",
      "changes-secret: deny deny deny",
      "sends-secret: deny deny deny",
      "sends-file: allow ask ask",
      "reverse-shell: deny deny deny",
      "stops-machine: deny deny deny",
      "kills-broadly: deny deny deny",
      "kills-process: allow allow ask",
      "stops-service: ask deny deny",
      "stops-system-service: deny deny deny",
      "opens-firewall: deny deny deny",
      "starts-at-login: deny deny deny",
      "schedules-work: ask deny deny",
      "hides-traces: deny deny deny",
      "exhausts-machine: deny deny deny",
      "destroys-service: deny deny deny",
      "changes-service: ask deny deny",
      "destroys-data: deny deny deny",
      "deletes-data: ask deny deny",
      "publishes-package: ask deny deny",
      "withdraws-package: deny deny deny",
      "removes-packages: ask deny deny",
      "unreadable: ask deny deny",
      "nested-too-deep: deny deny deny",
      "tripwire: ask deny deny",
    ]
  `);
});
