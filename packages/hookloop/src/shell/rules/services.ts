/** Rules about what runs in containers and clusters, and about databases. */

import { type Call, has, operand, type Report } from "./call.ts";
import type { Judge, Rule } from "./rule.ts";

const KUBECTL_READS: readonly string[] = ["--dry-run", "--help"];
const CLUSTER_WIDE =
  /^(?:ns|namespaces?|pvc?|persistentvolume(?:claim)?s?|nodes?|no|crds?|customresourcedefinitions?|clusterrole.*|storageclass.*|sc|all)$/;
const DELETES_CONTAINERS = "it deletes containers, images or their data";

function kubernetesDeletesMuch(call: Call): boolean {
  return (
    has(call, "--all", "-A", "--all-namespaces", "--force") ||
    call.given.operands.slice(1).some(({ text }) => CLUSTER_WIDE.test(text.split("/")[0] ?? "")) ||
    call.given.options.some(({ name, value }) => name === "--grace-period" && value?.text === "0")
  );
}

export const CONTAINER_RULES: readonly (Rule | Judge)[] = [
  {
    programs: "kubectl",
    sub: "delete",
    without: KUBECTL_READS,
    when: kubernetesDeletesMuch,
    kind: "destroys-service",
    text: "it deletes a large part of a cluster",
  },
  {
    programs: "kubectl",
    sub: "delete",
    without: KUBECTL_READS,
    when: (call) => !kubernetesDeletesMuch(call),
    kind: "changes-service",
    text: "it deletes something of a cluster",
  },
  {
    programs: "kubectl",
    sub: "drain|cordon|taint|replace|rollout|scale|patch|apply|edit|set|label|annotate|exec",
    without: KUBECTL_READS,
    when: (call) => isDisruptive(call),
    kind: "changes-service",
    text: "it changes a running cluster",
  },
  { programs: "helm", sub: "uninstall|delete|del|un", kind: "destroys-service", text: "it removes a release from a cluster" },
  { programs: "helm", sub: "rollback", kind: "changes-service", text: "it changes a release of a cluster" },
  {
    programs: "helm",
    sub: "upgrade",
    with: ["--force", "--reset-values"],
    kind: "changes-service",
    text: "it replaces a release of a cluster",
  },
  { programs: "kustomize", sub: "delete", kind: "destroys-service", text: "it deletes a part of a cluster" },
  {
    programs: "kind k3d minikube",
    sub: "delete|cluster",
    when: (call) => operand(call, 0) === "delete" || operand(call, 1) === "delete",
    kind: "changes-service",
    text: "it deletes a local cluster",
  },
  {
    programs: "velero",
    sub: "*",
    when: (call) => operand(call, 0) === "delete" || operand(call, 1) === "delete" || operand(call, 0) === "uninstall",
    kind: "destroys-service",
    text: "it deletes backups",
  },
  { programs: "argocd", sub: "app|proj|cluster|repo delete|rm", kind: "destroys-service", text: "it deletes what a cluster runs" },
  { programs: "istioctl linkerd", sub: "uninstall", kind: "destroys-service", text: "it removes a part of a cluster" },
  {
    programs: "docker",
    judge: (call) => {
      const at = call.words.findIndex(({ text }) => text === "compose");
      const word = call.words[at];
      if (word && at > 0 && operand(call, 0) === "compose")
        call.scene.judgeWords([{ ...word, text: "docker-compose", source: "docker-compose" }, ...call.words.slice(at + 1)], call.command);
    },
  },
  { programs: "docker", sub: "system reset", kind: "destroys-data", text: DELETES_CONTAINERS },
  { programs: "docker", sub: "system prune", with: ["--volumes"], kind: "destroys-data", text: DELETES_CONTAINERS },
  // Without --force it asks by itself.
  {
    programs: "docker",
    sub: "system|image|container|network|builder|buildx prune",
    with: ["-f", "--force"],
    kind: "changes-service",
    text: DELETES_CONTAINERS,
  },
  { programs: "docker", sub: "volume rm|remove|prune", kind: "destroys-data", text: "it deletes the data of containers" },
  { programs: "docker", sub: "rm|rmi", with: ["-f", "--force", "-v", "--volumes"], kind: "changes-service", text: DELETES_CONTAINERS },
  {
    programs: "docker",
    sub: "container|image|network rm|remove",
    with: ["-f", "--force"],
    kind: "changes-service",
    text: DELETES_CONTAINERS,
  },
  {
    programs: "docker-compose",
    sub: "down|rm",
    with: ["-v", "--volumes", "--rmi"],
    kind: "destroys-data",
    text: "it deletes the data of containers",
  },
  {
    programs: "docker",
    sub: "stack|service|secret|config|context|swarm|node rm|remove|leave",
    kind: "changes-service",
    text: "it removes a running service",
  },
  {
    programs: "docker",
    sub: "run|exec|create",
    when: escapesContainer,
    kind: "raises-rights",
    text: "it starts a container that can reach the whole machine",
  },
  {
    programs: "lxc incus virsh vagrant multipass",
    sub: "delete|destroy|undefine|purge|vol-delete|pool-delete",
    kind: "destroys-service",
    text: "it deletes a machine with its data",
  },
  { programs: "qm pct", sub: "destroy", kind: "destroys-service", text: "it deletes a machine with its data" },
  { programs: "vboxmanage", sub: "unregistervm", with: ["--delete"], kind: "destroys-service", text: "it deletes a machine with its data" },
  {
    programs: "crictl ctr",
    sub: "rm|rmi|rmp|images|containers",
    when: (call) => /^rm/.test(operand(call, 0)) || operand(call, 1) === "rm",
    kind: "changes-service",
    text: DELETES_CONTAINERS,
  },
  { programs: "nomad", sub: "job stop", with: ["-purge"], kind: "destroys-service", text: "it deletes what a cluster runs" },
  {
    programs: "nomad",
    sub: "job|system|namespace|volume stop|gc|delete|deregister",
    kind: "changes-service",
    text: "it stops what a cluster runs",
  },
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

const DROPS_DATABASE = "it deletes a whole database";
const DELETES_DATABASE = "it deletes a database";

export const DATABASE_RULES: readonly (Rule | Judge)[] = [
  {
    programs:
      "psql mysql sqlite3 sqlcmd sqlplus cockroach clickhouse clickhouse-client cqlsh duckdb snowsql bq usql pgcli mycli isql trino presto spark-sql hive beeline impala-shell",
    judge: judgeSql,
  },
  { programs: "redis-cli", judge: judgeRedis },
  { programs: "mongosh", judge: judgeMongo },
  { programs: "dropdb dropuser", kind: "destroys-data", text: DROPS_DATABASE },
  {
    programs: "mysqladmin",
    when: (call) => call.given.operands.some(({ text }) => /^(?:drop|shutdown|flush-)/.test(text)),
    kind: "destroys-data",
    text: DROPS_DATABASE,
  },
  {
    programs: "mongorestore pg_restore",
    with: ["--drop", "--clean", "-c"],
    kind: "destroys-data",
    text: "it deletes data before it restores",
  },
  { programs: "pg_ctl", sub: "stop|kill", kind: "stops-service", text: "it stops a database" },
  { programs: "bq", sub: "rm", kind: "destroys-data", text: "it deletes tables" },
  {
    programs: "influx",
    sub: "delete|bucket",
    when: (call) => operand(call, 0) === "delete" || operand(call, 1) === "delete",
    kind: "destroys-data",
    text: "it deletes data of a database",
  },
  { programs: "etcdctl", sub: "del", kind: "destroys-data", text: "it deletes data of a database" },
  { programs: "etcdctl", sub: "member remove", kind: "destroys-service", text: "it removes a member of a database" },
  { programs: "consul", sub: "kv delete", kind: "destroys-data", text: "it deletes data of a database" },
  {
    programs:
      "kafka-topics kafka-topics.sh kafka-consumer-groups kafka-consumer-groups.sh kafka-acls kafka-acls.sh kafka-configs kafka-configs.sh",
    with: ["--delete", "--reset-offsets", "--remove", "--delete-config"],
    kind: "destroys-data",
    text: "it deletes messages or who may read them",
  },
  { programs: "kafka-delete-records kafka-delete-records.sh", kind: "destroys-data", text: "it deletes messages" },
  { programs: "rpk", sub: "topic delete|trim-prefix", kind: "destroys-data", text: "it deletes messages" },
  { programs: "rabbitmqadmin", sub: "delete|purge", kind: "destroys-data", text: "it deletes messages or queues" },
  {
    programs: "rabbitmqctl",
    sub: "delete_*|purge_queue|reset|force_reset|forget_cluster_node|stop_app|stop|shutdown|clear_*",
    kind: "destroys-data",
    text: "it deletes messages or stops their server",
  },
  {
    programs: "nats",
    sub: "stream|consumer|kv|object|account rm|del|delete|purge|edit",
    kind: "destroys-data",
    text: "it deletes messages",
  },
];

/** Tools that make and unmake the database of an application. */
export const MIGRATION_RULES: readonly (Rule | Judge)[] = [
  // What these start is judged under its own name.
  {
    programs: "npx pnpx bunx bundle npm yarn poetry uv pipenv rye",
    judge: (call) => {
      const at = call.words.findIndex(({ text }, index) => index > 0 && TOOLS.has(text));
      if (at > 0 && !call.scene.starters.has(call.command)) call.scene.judgeWords(call.words.slice(at), call.command);
    },
  },
  {
    programs: "rails rake bin/rails",
    sub: "db:*",
    when: (call) => /^db:(?:drop|reset|purge|truncate|schema:load|migrate:reset|rollback)/.test(operand(call, 0)),
    kind: "destroys-data",
    text: DELETES_DATABASE,
  },
  { programs: "prisma", sub: "migrate reset", kind: "destroys-data", text: DELETES_DATABASE },
  {
    programs: "prisma",
    sub: "db push",
    with: ["--force-reset", "--accept-data-loss"],
    kind: "destroys-data",
    text: "it deletes data of a database",
  },
  {
    programs: "php artisan",
    when: (call) => call.words.some(({ text }) => /^(?:migrate:(?:fresh|reset|refresh|rollback)|db:wipe)$/.test(text)),
    kind: "destroys-data",
    text: DELETES_DATABASE,
  },
  {
    programs: "python manage.py",
    when: (call) =>
      call.words.some(({ text }) => /(?:^|\/)manage\.py$/.test(text)) &&
      call.words.some(({ text }) => /^(?:flush|reset_db|sqlflush)$/.test(text)) &&
      !has(call, "--help"),
    kind: "destroys-data",
    text: DELETES_DATABASE,
  },
  { programs: "alembic", sub: "downgrade base", kind: "destroys-data", text: DELETES_DATABASE },
  { programs: "flyway", sub: "clean", kind: "destroys-data", text: DELETES_DATABASE },
  { programs: "liquibase", sub: "drop-all|dropall|rollback*", kind: "destroys-data", text: DELETES_DATABASE },
  { programs: "sequelize sequelize-cli", sub: "db:drop|db:migrate:undo:all", kind: "destroys-data", text: DELETES_DATABASE },
  { programs: "typeorm", sub: "schema:drop", kind: "destroys-data", text: DELETES_DATABASE },
  { programs: "knex", sub: "migrate:rollback", with: ["--all"], kind: "destroys-data", text: DELETES_DATABASE },
  { programs: "mix", sub: "ecto.drop|ecto.reset", kind: "destroys-data", text: DELETES_DATABASE },
  { programs: "dotnet", sub: "ef database drop", kind: "destroys-data", text: DELETES_DATABASE },
  { programs: "hasura", sub: "metadata clear", kind: "destroys-data", text: DELETES_DATABASE },
];

const TOOLS = new Set(
  "prisma sequelize sequelize-cli typeorm knex rails rake supabase alembic wrangler vercel netlify firebase cdk sst serverless rimraf".split(
    " ",
  ),
);
