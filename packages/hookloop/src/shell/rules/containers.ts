import { type Call, has, operand } from "./call.ts";
import type { Judge, Rule } from "./rule.ts";

const KUBECTL_READS: readonly string[] = ["--dry-run", "--help"];
const CLUSTER_WIDE =
  /^(?:ns|namespaces?|pvc?|persistentvolume(?:claim)?s?|nodes?|no|crds?|customresourcedefinitions?|clusterrole.*|storageclass.*|sc|all)$/;
const DELETES = "it deletes containers, images or their data";

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
  { programs: "docker", sub: "system reset", kind: "destroys-data", text: DELETES },
  { programs: "docker", sub: "system prune", with: ["--volumes"], kind: "destroys-data", text: DELETES },
  // Without --force it asks by itself.
  {
    programs: "docker",
    sub: "system|image|container|network|builder|buildx prune",
    with: ["-f", "--force"],
    kind: "changes-service",
    text: DELETES,
  },
  { programs: "docker", sub: "volume rm|remove|prune", kind: "destroys-data", text: "it deletes the data of containers" },
  { programs: "docker", sub: "rm|rmi", with: ["-f", "--force", "-v", "--volumes"], kind: "changes-service", text: DELETES },
  { programs: "docker", sub: "container|image|network rm|remove", with: ["-f", "--force"], kind: "changes-service", text: DELETES },
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
    text: DELETES,
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
