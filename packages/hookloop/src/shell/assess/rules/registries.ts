import { operand } from "../call/call.ts";
import type { Judge, Rule } from "../rule.ts";

const PUBLISHES = "it publishes a package for everybody";
const WITHDRAWS = "it takes away a package that others may use";

export const REGISTRY_RULES: readonly (Rule | Judge)[] = [
  { programs: "npm yarn", sub: "publish", kind: "publishes-package", text: PUBLISHES },
  { programs: "yarn", sub: "npm publish", kind: "publishes-package", text: PUBLISHES },
  { programs: "lerna changeset nx", sub: "publish|release", kind: "publishes-package", text: PUBLISHES },
  { programs: "npm", sub: "unpublish|deprecate", kind: "withdraws-package", text: WITHDRAWS },
  {
    programs: "npm yarn",
    sub: "owner|access|token|team|dist-tag|org rm|remove|revoke|delete|destroy|add",
    kind: "changes-service",
    text: "it changes who may publish a package",
  },
  { programs: "gem", sub: "push", kind: "publishes-package", text: PUBLISHES },
  { programs: "gem", sub: "yank", kind: "withdraws-package", text: WITHDRAWS },
  { programs: "cargo", sub: "publish", kind: "publishes-package", text: PUBLISHES },
  { programs: "cargo", sub: "yank|owner", kind: "withdraws-package", text: WITHDRAWS },
  { programs: "twine flit poetry hatch uv pdm maturin", sub: "upload|publish", kind: "publishes-package", text: PUBLISHES },
  {
    programs: "mvn gradle gradlew ./gradlew sbt",
    when: (call) => call.given.operands.some(({ text }) => /^(?:deploy|release:perform|publish|publishSigned|uploadArchives)$/i.test(text)),
    kind: "publishes-package",
    text: PUBLISHES,
  },
  {
    programs: "dotnet nuget",
    when: (call) => /^(?:push|delete)$/.test(operand(call, call.name === "dotnet" ? 1 : 0)),
    kind: "publishes-package",
    text: PUBLISHES,
  },
  { programs: "docker", sub: "push", kind: "publishes-package", text: "it publishes an image" },
  { programs: "docker", sub: "image push", kind: "publishes-package", text: "it publishes an image" },
  { programs: "helm", sub: "push", kind: "publishes-package", text: PUBLISHES },
  { programs: "pod", sub: "trunk push|delete|deprecate", kind: "publishes-package", text: PUBLISHES },
  { programs: "vsce ovsx", sub: "publish|unpublish", kind: "publishes-package", text: PUBLISHES },
  { programs: "gh", sub: "release create|upload", kind: "publishes-package", text: "it publishes a release" },
  { programs: "jsr", sub: "publish", kind: "publishes-package", text: PUBLISHES },
  { programs: "deno", sub: "publish", kind: "publishes-package", text: PUBLISHES },
  { programs: "hex mix", when: (call) => /^(?:hex\.publish|publish)$/.test(operand(call, 0)), kind: "publishes-package", text: PUBLISHES },
];
