import { type Call, has, operand, option, type Report } from "./call.ts";
import type { Judge, Rule } from "./rule.ts";

const DELETES = "it deletes something in the cloud";
const DRY = ["--dryrun", "--dry-run", "--help"];
/** Verbs by which cloud commands destroy; they stand first in the last words: `delete-bucket`, `instances delete`. */
const DESTROYS = /^(?:schedule-key-deletion|delete|destroy|terminate|purge|remove|deregister|wipe|nuke)(?:-|$)/;
const CHANGES =
  /^(?:stop|reboot|detach|disable|revoke|reset|release|cancel|disassociate|deprovision|uninstall|rollback|abandon|failover|modify|put-bucket-policy)(?:-|$)/;
/** What can be made again at once, or is only a label. */
const MINOR = /^(?:delete|remove)-(?:tags?|message|messages|message-batch|alarms?|dashboards?|rule|permission|targets|item)$/;

function judgeCloud(call: Call, report: Report): void {
  if (has(call, ...DRY)) return;
  const verbs = call.given.operands.slice(0, 5).map(({ text }) => text.toLowerCase());
  const minor = verbs.find((verb) => MINOR.test(verb));
  const destroys = verbs.find((verb, at) => DESTROYS.test(verb) && at > 0);
  if (minor) report("changes-service", DELETES);
  else if (destroys) report("destroys-service", DELETES);
  else if (verbs.slice(1, 4).some((verb) => CHANGES.test(verb))) report("changes-service", "it changes something that runs in the cloud");
}

function judgeTerraform(call: Call, report: Report): void {
  const verb = operand(call, 0);
  if (has(call, "-help", "--help")) return;
  const destroys = verb === "destroy" || (verb === "apply" && has(call, "-destroy", "--destroy"));
  if (destroys) report("destroys-service", "it destroys the infrastructure it describes");
  else if (verb === "apply" && has(call, "-auto-approve", "--auto-approve"))
    report("changes-service", "it changes the infrastructure without asking");
  else if (verb === "state" && /^(?:rm|push|replace-provider)$/.test(operand(call, 1)))
    report("destroys-service", "it makes the tool forget infrastructure");
  else if (verb === "taint" || verb === "force-unlock" || (verb === "workspace" && operand(call, 1) === "delete"))
    report("changes-service", "it changes what is known of the infrastructure");
}

function isDeleteRequest(call: Call): boolean {
  const method = option(call, "-X", "--request", "--method")?.value?.text ?? (call.name === "curl" ? "" : operand(call, 0));
  return /^delete$/i.test(method);
}

function destroysByPost(call: Call): boolean {
  const method = option(call, "-X", "--request")?.value?.text ?? "";
  const url = call.given.operands.map(({ text }) => text).join(" ");
  return (
    (/^(?:post|put)$/i.test(method) || has(call, "-d", "--data")) &&
    /\/(?:_delete_by_query|doDelete|_close|kill|_forcemerge|doWipeOutWorkspace|clear|truncate|_shutdown|safeRestart|restart|exit|quietDown)\b/.test(
      url,
    )
  );
}

export const CLOUD_RULES: readonly (Rule | Judge)[] = [
  { programs: "aws gcloud az oci ibmcloud aliyun doctl linode-cli hcloud scw eksctl openstack", judge: judgeCloud },
  {
    programs: "aws",
    sub: "s3 rb|rm|mv",
    without: DRY,
    when: (call) => operand(call, 1) !== "mv",
    kind: "destroys-service",
    text: "it deletes stored objects",
  },
  {
    programs: "aws",
    sub: "s3 sync",
    with: ["--delete"],
    without: DRY,
    kind: "mirror-deletes",
    text: "it deletes stored objects that the source does not have",
  },
  { programs: "aws", sub: "sqs purge-queue", without: DRY, kind: "destroys-data", text: "it deletes every message of a queue" },
  {
    programs: "gsutil",
    sub: "rm|rb|rsync",
    when: (call) => operand(call, 0) !== "rsync" || has(call, "-d"),
    kind: "destroys-service",
    text: "it deletes stored objects",
  },
  {
    programs: "gcloud",
    sub: "storage rm|buckets",
    when: (call) => operand(call, 1) === "rm",
    kind: "destroys-service",
    text: "it deletes stored objects",
  },
  {
    programs: "az",
    sub: "group|vm|storage|keyvault|sql|aks|webapp|functionapp|cosmosdb|network|ad delete|purge",
    kind: "destroys-service",
    text: DELETES,
  },
  {
    programs: "s3cmd s5cmd mc",
    sub: "rm|rb|del|sync",
    when: (call) => operand(call, 0) !== "sync" || has(call, "--delete-removed", "--delete"),
    kind: "destroys-service",
    text: "it deletes stored objects",
  },
  { programs: "azcopy", sub: "remove|rm", kind: "destroys-service", text: "it deletes stored objects" },
  { programs: "terraform terragrunt", judge: judgeTerraform },
  { programs: "terragrunt", sub: "run destroy", kind: "destroys-service", text: "it destroys the infrastructure it describes" },
  { programs: "pulumi", sub: "cancel", kind: "changes-service", text: "it stops a change of the infrastructure halfway" },
  { programs: "pulumi", sub: "state delete", kind: "destroys-service", text: "it makes the tool forget infrastructure" },
  { programs: "terragrunt", sub: "run-all destroy", kind: "destroys-service", text: "it destroys the infrastructure it describes" },
  { programs: "pulumi", sub: "destroy|dn", kind: "destroys-service", text: "it destroys the infrastructure it describes" },
  { programs: "pulumi", sub: "stack rm", kind: "destroys-service", text: "it makes the tool forget infrastructure" },
  {
    programs: "pulumi",
    sub: "up|update",
    with: ["-y", "--yes"],
    kind: "changes-service",
    text: "it changes the infrastructure without asking",
  },
  { programs: "cdk cdktf sst", sub: "destroy|remove", kind: "destroys-service", text: "it destroys the infrastructure it describes" },
  { programs: "serverless sls sam copilot", sub: "remove|delete", kind: "destroys-service", text: "it removes a deployed application" },
  {
    programs: "ansible",
    when: (call) => /\bstate=absent\b|\b(?:rm\s+-rf|shutdown|reboot)\b/.test(call.words.map(({ text }) => text).join(" ")),
    kind: "destroys-service",
    text: "it deletes something on other machines",
  },
  {
    programs: "heroku",
    sub: "apps:destroy|pg:reset|addons:destroy|pg:copy|domains:clear|apps:delete",
    kind: "destroys-service",
    text: "it deletes an application or its data",
  },
  {
    programs: "flyctl fly",
    sub: "apps|volumes|machine|machines|postgres destroy|delete|remove",
    kind: "destroys-service",
    text: "it deletes an application or its data",
  },
  {
    programs: "vercel netlify wrangler railway firebase render surge",
    when: (call) =>
      /(?:^|:)(?:rm|remove|delete|destroy|teardown)$/.test(operand(call, 0)) ||
      /^(?:rm|remove|delete|destroy|disable)$/.test(operand(call, 1)) ||
      /^(?:delete|destroy)$/.test(operand(call, 2)),
    kind: "destroys-service",
    text: "it removes a deployed application or its data",
  },
  {
    programs: "firebase",
    when: (call) =>
      /^(?:firestore:delete|database:remove|hosting:disable|functions:delete|auth:import|projects:delete)$/.test(operand(call, 0)),
    kind: "destroys-service",
    text: "it deletes data of an application",
  },
  {
    programs: "supabase",
    sub: "db|projects|functions|secrets|branches reset|delete|unset",
    kind: "destroys-data",
    text: "it deletes data of an application",
  },
  {
    programs: "vault",
    sub: "delete|lease|kv|secrets|auth|policy|token|operator",
    when: (call) => isVaultChange(call),
    kind: "destroys-service",
    text: "it deletes secrets or access to them",
  },
  {
    programs: "doppler",
    when: (call) => /^(?:delete|unset)$/.test(operand(call, 1)) || operand(call, 2) === "delete",
    kind: "destroys-service",
    text: "it deletes secrets",
  },
  {
    programs: "op",
    sub: "item|vault|document|user|group|connect|service-account delete|remove",
    kind: "destroys-service",
    text: "it deletes secrets",
  },
  {
    programs: "circleci",
    sub: "context|orb|runner delete|remove-secret|unlist-from-category|unlist",
    kind: "destroys-service",
    text: "it deletes what builds need",
  },
  { programs: "gitlab-runner", sub: "unregister|stop|uninstall", kind: "changes-service", text: "it removes a machine that builds" },
  {
    programs: "java",
    when: (call) =>
      /jenkins-cli/.test(call.words.map(({ text }) => text).join(" ")) &&
      call.words.some(({ text }) =>
        /^(?:delete-|safe-shutdown|shutdown|clear-queue|offline-node|disable-|restart|safe-restart)/.test(text),
      ),
    kind: "destroys-service",
    text: "it deletes or stops what builds need",
  },
  { programs: "restic", sub: "forget|prune", without: ["--dry-run", "-n", "--help"], kind: "destroys-service", text: "it deletes backups" },
  {
    programs: "restic",
    sub: "key",
    when: (call) => operand(call, 1) === "remove",
    kind: "destroys-service",
    text: "it locks users out of backups",
  },
  {
    programs: "borg",
    sub: "delete|prune|recreate|compact",
    without: ["--dry-run", "-n", "--help"],
    kind: "destroys-service",
    text: "it deletes backups",
  },
  { programs: "duplicity", sub: "remove-*|cleanup", kind: "destroys-service", text: "it deletes backups" },
  { programs: "kopia", sub: "snapshot|repository delete", kind: "destroys-service", text: "it deletes backups" },
  { programs: "curl http https xh", when: isDeleteRequest, kind: "changes-service", text: "it asks a server to delete something" },
  { programs: "curl", when: destroysByPost, kind: "changes-service", text: "it asks a server to delete or stop something" },
];

function isVaultChange(call: Call): boolean {
  const path = `${operand(call, 0)} ${operand(call, 1)}`;
  return (
    /^(?:delete\b|lease revoke|kv (?:delete|destroy|metadata)|secrets (?:disable|move)|auth disable|policy delete|token revoke|operator (?:seal|rekey|step-down))/.test(
      path,
    ) && !(/metadata/.test(path) && operand(call, 2) !== "delete")
  );
}

/** Where shared repositories are kept. */
export const HOST_RULES: readonly (Rule | Judge)[] = [
  // Other systems that keep versions.
  {
    programs: "hg",
    sub: "update|up|checkout|co",
    with: ["-C", "--clean"],
    kind: "git-discards-work",
    text: "it throws away changes that are in no commit",
  },
  { programs: "hg", sub: "purge|clean|revert", kind: "git-discards-work", text: "it throws away changes that are in no commit" },
  { programs: "hg", sub: "strip|rollback|histedit", kind: "git-rewrites-history", text: "it rewrites the history of the repository" },
  { programs: "hg", sub: "push", with: ["-f", "--force"], kind: "git-rewrites-history", text: "it replaces the history of the remote" },
  {
    programs: "svn",
    sub: "revert|cleanup",
    with: ["-R", "--recursive", "--remove-unversioned"],
    kind: "git-discards-work",
    text: "it throws away changes that are in no commit",
  },
  {
    programs: "gh",
    sub: "repo|release|secret|variable|gist|issue|run|cache|ssh-key|gpg-key|label|project|codespace|ruleset delete",
    when: (call) => /^(?:repo|release|secret|variable|ssh-key|gpg-key)$/.test(operand(call, 0)),
    kind: "destroys-service",
    text: "it deletes something on GitHub",
  },
  {
    programs: "gh",
    sub: "issue|gist|run|cache|label|project|codespace|ruleset delete",
    kind: "changes-service",
    text: "it deletes something on GitHub",
  },
  { programs: "gh", sub: "repo archive|rename|edit", kind: "changes-service", text: "it changes a repository on GitHub" },
  {
    programs: "gh",
    sub: "api",
    when: (call) => /^delete$/i.test(call.given.options.findLast(({ name }) => name === "-X" || name === "--method")?.value?.text ?? ""),
    kind: "destroys-service",
    text: "it deletes something on GitHub",
  },
  { programs: "glab", sub: "repo|release|variable|ci|issue|mr delete", kind: "destroys-service", text: "it deletes something on GitLab" },
  {
    programs: "glab",
    sub: "api",
    when: (call) => /^delete$/i.test(call.given.options.findLast(({ name }) => name === "-X" || name === "--method")?.value?.text ?? ""),
    kind: "destroys-service",
    text: "it deletes something on GitLab",
  },
];

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
