/** Rules about what runs in containers and clusters, and about databases. */

import { wordSet } from "../words.ts";
import { type Call, has, operand, type Report } from "./call.ts";
import { hasWord, type Judge, type Rule, rules } from "./rule.ts";

const CLUSTER_WIDE =
  /^(?:ns|namespaces?|pvc?|persistentvolume(?:claim)?s?|nodes?|no|crds?|customresourcedefinitions?|clusterrole.*|storageclass.*|sc|all)$/;
function kubernetesDeletesMuch(call: Call): boolean {
  return (
    has(call, "--all", "-A", "--all-namespaces", "--force") ||
    call.given.operands.slice(1).some(({ text }) => CLUSTER_WIDE.test(text.split("/")[0] ?? "")) ||
    call.given.options.some(({ name, value }) => name === "--grace-period" && value?.text === "0")
  );
}

export const CONTAINER_RULES: readonly (Rule | Judge)[] = [
  {
    programs: "docker",
    judge: (call) => {
      const at = call.words.findIndex(({ text }) => text === "compose");
      const word = call.words[at];
      if (word && at > 0 && operand(call, 0) === "compose")
        call.scene.judgeWords([{ ...word, text: "docker-compose", source: "docker-compose" }, ...call.words.slice(at + 1)], call.command);
    },
  },
  ...rules("destroys-service", "it deletes a large part of a cluster", ["kubectl: delete !--dry-run !--help", kubernetesDeletesMuch]),
  ...rules("changes-service", "it deletes something of a cluster", [
    "kubectl: delete !--dry-run !--help",
    (call) => !kubernetesDeletesMuch(call),
  ]),
  ...rules("changes-service", "it changes a running cluster", [
    "kubectl: drain|cordon|taint|replace|rollout|scale|patch|apply|edit|set|label|annotate|exec !--dry-run !--help",
    (call) => isDisruptive(call),
  ]),
  ...rules("destroys-service", "it removes a release from a cluster", "helm: uninstall|delete|del|un"),
  ...rules("changes-service", "it changes a release of a cluster", "helm: rollback"),
  ...rules("changes-service", "it replaces a release of a cluster", "helm: upgrade --force --reset-values"),
  ...rules("destroys-service", "it deletes a part of a cluster", "kustomize: delete"),
  ...rules("changes-service", "it deletes a local cluster", "kind k3d minikube: delete", "kind k3d minikube: cluster delete"),
  ...rules("destroys-service", "it deletes backups", "velero: delete|uninstall", "velero: * delete"),
  ...rules("destroys-service", "it deletes what a cluster runs", "argocd: app|proj|cluster|repo delete|rm", "nomad: job stop -purge"),
  ...rules("destroys-service", "it removes a part of a cluster", "istioctl linkerd: uninstall"),
  ...rules("destroys-data", "it deletes containers, images or their data", "docker: system reset", "docker: system prune --volumes"),
  // Without --force it asks by itself.
  ...rules(
    "changes-service",
    "it deletes containers, images or their data",
    "docker: system|image|container|network|builder|buildx prune -f --force",
    "docker: rm|rmi -f --force -v --volumes",
    "docker: container|image|network rm|remove -f --force",
    "crictl ctr: rm|rmi|rmp",
    "crictl ctr: images|containers rm",
  ),
  ...rules(
    "destroys-data",
    "it deletes the data of containers",
    "docker: volume rm|remove|prune",
    "docker-compose: down|rm -v --volumes --rmi",
  ),
  ...rules("changes-service", "it removes a running service", "docker: stack|service|secret|config|context|swarm|node rm|remove|leave"),
  ...rules("raises-rights", "it starts a container that can reach the whole machine", ["docker: run|exec|create", escapesContainer]),
  ...rules(
    "destroys-service",
    "it deletes a machine with its data",
    "lxc incus virsh vagrant multipass: delete|destroy|undefine|purge|vol-delete|pool-delete",
    "qm pct: destroy",
    "vboxmanage: unregistervm --delete",
  ),
  ...rules("changes-service", "it stops what a cluster runs", "nomad: job|system|namespace|volume stop|gc|delete|deregister"),
];

function isDisruptive(call: Call): boolean {
  const verb = operand(call, 0);
  if (verb === "drain" || verb === "taint" || verb === "cordon") return true;
  if (verb === "replace") return has(call, "--force");
  if (verb === "apply") return has(call, "--prune", "--force");
  if (verb === "rollout") return operand(call, 1) === "undo";
  return verb === "scale" && call.given.options.some(({ name, value }) => name === "--replicas" && value?.text === "0");
}

function escapesContainer(call: Call): boolean {
  if (has(call, "--privileged")) return true;
  return call.words.some(({ text }) => /^(?:-v=?|--volume=)?\/:|docker\.sock:|^--pid=host$|^--mount=?.*source=\/,/.test(text));
}

const DROPS =
  /\b(?:drop\s+(?:table|database|schema|index|view|user|role|tablespace|keyspace|collection|column|owned|materialized|function|trigger|type)|truncate\s+(?:table\s+)?[\w"`.[]|alter\s+table\s+\S+\s+drop\b)/i;
const DELETES_ALL = /\bdelete\s+from\s+[^;]*?(?:;|$)|\bupdate\s+[\w"`.]+\s+set\s[^;]*?(?:;|$)/gi;

/** SQL in a client's words or on its input. */
function judgeSql(call: Call, report: Report): void {
  for (const { text, span } of call.words.slice(1)) {
    // `--execute=…`: to SQL the dashes would begin a comment.
    judgeStatement(text.replace(/^--?[\w-]+=/, ""), { span }, report);
    const escaped = /(?:\\!|^\s*\.(?:shell|system)|^\s*system)\s+(.+)/.exec(text)?.[1];
    if (escaped) call.scene.judgeText(escaped, span);
  }
  const { stdin } = call.command;
  if (stdin?.kind === "text") judgeStatement(stdin.text, undefined, report);
  if (stdin?.kind !== "pipe") return;
  for (const source of call.sources()) {
    if (/^(?:echo|printf)$/.test(source.words[0]?.text ?? ""))
      for (const { text } of source.words.slice(1)) judgeStatement(text, source, report);
  }
}

function judgeStatement(
  text: string,
  at: { readonly span: { readonly start: number; readonly end: number } } | undefined,
  report: Report,
): void {
  const sql = text.replace(/--[^\n]*/g, " ").replace(/(?<==\s*|\b(?:like|in\s*\(|values\s*\(|select)\s+)'[^']*'/gi, "''");
  if (DROPS.test(sql)) report("destroys-data", "it deletes tables or whole databases", at);
  for (const [statement] of sql.matchAll(DELETES_ALL)) {
    if (/\bwhere\b/i.test(statement) && !/\bwhere\s+(?:1\s*=\s*1|true)\b/i.test(statement))
      report("deletes-data", "it changes rows of a database", at);
    else report("destroys-data", "it changes every row of a table", at);
  }
}

function judgeRedis(call: Call, report: Report): void {
  const command = operand(call, 0);
  const stdin = call.command.stdin?.kind === "text" ? call.command.stdin.text : "";
  if (/^flush(?:all|db)$/.test(command) || /\bflush(?:all|db)\b/i.test(stdin)) report("destroys-data", "it deletes the whole database");
  else if (
    /^(?:shutdown|swapdb|replicaof|slaveof)$/.test(command) ||
    (command === "config" && operand(call, 1) === "set") ||
    (command === "script" && operand(call, 1) === "flush")
  ) {
    report("changes-service", "it stops the database or changes how it works");
  } else if (/^(?:del|unlink|debug|cluster)$/.test(command)) report("deletes-data", "it deletes data of a database");
}

function judgeMongo(call: Call, report: Report): void {
  const stdin = call.command.stdin?.kind === "text" ? call.command.stdin.text : "";
  const text = `${call.words.map((word) => word.text).join(" ")} ${call.given.options.map(({ value }) => value?.text ?? "").join(" ")} ${stdin}`;
  if (/dropDatabase|\.drop\s*\(|deleteMany\s*\(\s*(?:\{\s*\})?\s*[,)]|\.remove\s*\(\s*\{\s*\}|dropUser|shutdownServer/.test(text))
    report("destroys-data", "it deletes collections or whole databases");
  else if (/deleteMany|deleteOne|\.remove\s*\(|dropIndex|findOneAndDelete/.test(text))
    report("deletes-data", "it deletes data of a database");
}

export const DATABASE_RULES: readonly (Rule | Judge)[] = [
  {
    programs:
      "psql mysql sqlite3 sqlcmd sqlplus cockroach clickhouse clickhouse-client cqlsh duckdb snowsql bq usql pgcli mycli isql trino presto spark-sql hive beeline impala-shell",
    judge: judgeSql,
  },
  { programs: "redis-cli", judge: judgeRedis },
  { programs: "mongosh", judge: judgeMongo },
  ...rules("destroys-data", "it deletes a whole database", "dropdb dropuser:", [
    "mysqladmin:",
    (call) => call.given.operands.some(({ text }) => /^(?:drop|shutdown|flush-)/.test(text)),
  ]),
  ...rules("destroys-data", "it deletes data before it restores", "mongorestore pg_restore: --drop --clean -c"),
  ...rules("stops-service", "it stops a database", "pg_ctl: stop|kill"),
  ...rules("destroys-data", "it deletes tables", "bq: rm"),
  ...rules(
    "destroys-data",
    "it deletes data of a database",
    "influx: delete",
    "influx: bucket delete",
    "etcdctl: del",
    "consul: kv delete",
  ),
  ...rules("destroys-service", "it removes a member of a database", "etcdctl: member remove"),
  ...rules(
    "destroys-data",
    "it deletes messages or who may read them",
    "kafka-topics kafka-topics.sh kafka-consumer-groups kafka-consumer-groups.sh kafka-acls kafka-acls.sh kafka-configs kafka-configs.sh: --delete --reset-offsets --remove --delete-config",
  ),
  ...rules(
    "destroys-data",
    "it deletes messages",
    "kafka-delete-records kafka-delete-records.sh:",
    "rpk: topic delete|trim-prefix",
    "nats: stream|consumer|kv|object|account rm|del|delete|purge|edit",
  ),
  ...rules("destroys-data", "it deletes messages or queues", "rabbitmqadmin: delete|purge"),
  ...rules(
    "destroys-data",
    "it deletes messages or stops their server",
    "rabbitmqctl: delete_*|purge_queue|reset|force_reset|forget_cluster_node|stop_app|stop|shutdown|clear_*",
  ),
];

/** Tools that make and unmake the database of an application. */
export const MIGRATION_RULES: readonly (Rule | Judge)[] = [
  {
    programs: "npx pnpx bunx bundle npm yarn poetry uv pipenv rye",
    judge: (call) => {
      const at = call.words.findIndex(({ text }, index) => index > 0 && TOOLS.has(text));
      if (at > 0 && !call.scene.starters.has(call.command)) call.scene.judgeWords(call.words.slice(at), call.command);
    },
  },
  ...rules(
    "destroys-data",
    "it deletes a database",
    "rails rake bin/rails: db:drop*|db:reset*|db:purge*|db:truncate*|db:schema:load*|db:migrate:reset*|db:rollback*",
    "prisma: migrate reset",
    ["php artisan:", hasWord(/^(?:migrate:(?:fresh|reset|refresh|rollback)|db:wipe)$/)],
    [
      "python manage.py:",
      (call) =>
        call.words.some(({ text }) => /(?:^|\/)manage\.py$/.test(text)) &&
        call.words.some(({ text }) => /^(?:flush|reset_db|sqlflush)$/.test(text)) &&
        !has(call, "--help"),
    ],
    "alembic: downgrade base",
    "flyway: clean",
    "liquibase: drop-all|dropall|rollback*",
    "sequelize sequelize-cli: db:drop|db:migrate:undo:all",
    "typeorm: schema:drop",
    "knex: migrate:rollback --all",
    "mix: ecto.drop|ecto.reset",
    "dotnet: ef database drop",
    "hasura: metadata clear",
  ),
  ...rules("destroys-data", "it deletes data of a database", "prisma: db push --force-reset --accept-data-loss"),
];

const TOOLS = wordSet(
  "prisma sequelize sequelize-cli typeorm knex rails rake supabase alembic wrangler vercel netlify firebase cdk sst serverless rimraf",
);
