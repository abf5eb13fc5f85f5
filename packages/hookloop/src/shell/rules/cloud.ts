import { type Call, has, operand, option, type Report } from "./call.ts";
import { hasWord, type Judge, type Rule, rules } from "./rule.ts";

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
  { programs: "terraform terragrunt", judge: judgeTerraform },
  ...rules(
    "destroys-service",
    "it deletes stored objects",
    "aws: s3 rb|rm !--dryrun !--dry-run !--help",
    "gsutil: rm|rb",
    "gsutil: rsync -d",
    "gcloud: storage rm",
    "s3cmd s5cmd mc: rm|rb|del",
    "s3cmd s5cmd mc: sync --delete-removed --delete",
    "azcopy: remove|rm",
  ),
  ...rules(
    "mirror-deletes",
    "it deletes stored objects that the source does not have",
    "aws: s3 sync --delete !--dryrun !--dry-run !--help",
  ),
  ...rules("destroys-data", "it deletes every message of a queue", "aws: sqs purge-queue !--dryrun !--dry-run !--help"),
  ...rules(
    "destroys-service",
    "it deletes something in the cloud",
    "az: group|vm|storage|keyvault|sql|aks|webapp|functionapp|cosmosdb|network|ad delete|purge",
  ),
  ...rules(
    "destroys-service",
    "it destroys the infrastructure it describes",
    "terragrunt: run destroy",
    "terragrunt: run-all destroy",
    "pulumi: destroy|dn",
    "cdk cdktf sst: destroy|remove",
  ),
  ...rules("changes-service", "it stops a change of the infrastructure halfway", "pulumi: cancel"),
  ...rules("destroys-service", "it makes the tool forget infrastructure", "pulumi: state delete", "pulumi: stack rm"),
  ...rules("changes-service", "it changes the infrastructure without asking", "pulumi: up|update -y --yes"),
  ...rules("destroys-service", "it removes a deployed application", "serverless sls sam copilot: remove|delete"),
  ...rules("destroys-service", "it deletes something on other machines", [
    "ansible:",
    hasWord(/\bstate=absent\b|\b(?:rm\s+-rf|shutdown|reboot)\b/),
  ]),
  ...rules(
    "destroys-service",
    "it deletes an application or its data",
    "heroku: apps:destroy|pg:reset|addons:destroy|pg:copy|domains:clear|apps:delete",
    "flyctl fly: apps|volumes|machine|machines|postgres destroy|delete|remove",
  ),
  ...rules("destroys-service", "it removes a deployed application or its data", [
    "vercel netlify wrangler railway firebase render surge:",
    (call) =>
      /(?:^|:)(?:rm|remove|delete|destroy|teardown)$/.test(operand(call, 0)) ||
      /^(?:rm|remove|delete|destroy|disable)$/.test(operand(call, 1)) ||
      /^(?:delete|destroy)$/.test(operand(call, 2)),
  ]),
  ...rules(
    "destroys-service",
    "it deletes data of an application",
    "firebase: firestore:delete|database:remove|hosting:disable|functions:delete|auth:import|projects:delete",
  ),
  ...rules("destroys-data", "it deletes data of an application", "supabase: db|projects|functions|secrets|branches reset|delete|unset"),
  ...rules("destroys-service", "it deletes secrets or access to them", [
    "vault: delete|lease|kv|secrets|auth|policy|token|operator",
    (call) => isVaultChange(call),
  ]),
  ...rules(
    "destroys-service",
    "it deletes secrets",
    "doppler: * delete|unset",
    "doppler: * * delete",
    "op: item|vault|document|user|group|connect|service-account delete|remove",
  ),
  ...rules(
    "destroys-service",
    "it deletes what builds need",
    "circleci: context|orb|runner delete|remove-secret|unlist-from-category|unlist",
  ),
  ...rules("changes-service", "it removes a machine that builds", "gitlab-runner: unregister|stop|uninstall"),
  ...rules("destroys-service", "it deletes or stops what builds need", [
    "java:",
    (call) =>
      hasWord(/jenkins-cli/)(call) &&
      hasWord(/^(?:delete-|safe-shutdown|shutdown|clear-queue|offline-node|disable-|restart|safe-restart)/)(call),
  ]),
  ...rules(
    "destroys-service",
    "it deletes backups",
    "restic: forget|prune !--dry-run !-n !--help",
    "borg: delete|prune|recreate|compact !--dry-run !-n !--help",
    "duplicity: remove-*|cleanup",
    "kopia: snapshot|repository delete",
  ),
  ...rules("destroys-service", "it locks users out of backups", "restic: key remove"),
  ...rules("changes-service", "it asks a server to delete something", ["curl http https xh:", isDeleteRequest]),
  ...rules("changes-service", "it asks a server to delete or stop something", ["curl:", destroysByPost]),
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
  ...rules(
    "git-discards-work",
    "it throws away changes that are in no commit",
    "hg: update|up|checkout|co -C --clean",
    "hg: purge|clean|revert",
    "svn: revert|cleanup -R --recursive --remove-unversioned",
  ),
  ...rules("git-rewrites-history", "it rewrites the history of the repository", "hg: strip|rollback|histedit"),
  ...rules("git-rewrites-history", "it replaces the history of the remote", "hg: push -f --force"),
  ...rules("destroys-service", "it deletes something on GitHub", "gh: repo|release|secret|variable|ssh-key|gpg-key delete", [
    "gh: api",
    isDeleteRequest,
  ]),
  ...rules("changes-service", "it deletes something on GitHub", "gh: issue|gist|run|cache|label|project|codespace|ruleset delete"),
  ...rules("changes-service", "it changes a repository on GitHub", "gh: repo archive|rename|edit"),
  ...rules("destroys-service", "it deletes something on GitLab", "glab: repo|release|variable|ci|issue|mr delete", [
    "glab: api",
    isDeleteRequest,
  ]),
];

export const REGISTRY_RULES: readonly (Rule | Judge)[] = [
  ...rules(
    "publishes-package",
    "it publishes a package for everybody",
    "npm yarn: publish",
    "yarn: npm publish",
    "lerna changeset nx: publish|release",
    "gem: push",
    "cargo: publish",
    "twine flit poetry hatch uv pdm maturin: upload|publish",
    ["mvn gradle gradlew ./gradlew sbt:", hasWord(/^(?:deploy|release:perform|publish|publishSigned|uploadArchives)$/i)],
    "nuget: push|delete",
    "dotnet: * push|delete",
    "helm: push",
    "pod: trunk push|delete|deprecate",
    "vsce ovsx: publish|unpublish",
    "jsr: publish",
    "deno: publish",
    "hex mix: hex.publish|publish",
  ),
  ...rules(
    "withdraws-package",
    "it takes away a package that others may use",
    "npm: unpublish|deprecate",
    "gem: yank",
    "cargo: yank|owner",
  ),
  ...rules(
    "changes-service",
    "it changes who may publish a package",
    "npm yarn: owner|access|token|team|dist-tag|org rm|remove|revoke|delete|destroy|add",
  ),
  ...rules("publishes-package", "it publishes an image", "docker: push", "docker: image push"),
  ...rules("publishes-package", "it publishes a release", "gh: release create|upload"),
];
