import { programOf } from "../arguments.ts";
import type { ShellCommand, ShellWord } from "../types.ts";
import { type Call, has, pathText, placeOf, type Report } from "./call.ts";
import type { Judge, Rule } from "./rule.ts";

/** Below a home: where keys, tokens and passwords are kept. */
const SECRET_AT_HOME =
  /^(?:\.ssh(?:\/(?!.*\.pub$|known_hosts).*)?|\.aws(?:\/.*)?|\.gnupg(?:\/.*)?|\.cargo\/credentials(?:\.toml)?|\.netrc|_netrc|\.docker\/config\.json|\.kube(?:\/config)?|\.config\/gcloud(?:\/.*)?|\.azure(?:\/.*)?|\.npmrc|\.yarnrc\.yml|\.pypirc|\.git-credentials|\.config\/(?:gh\/hosts\.yml|git\/credentials|op(?:\/.*)?|rclone\/.*|doctl\/.*|hub)|\.gem\/credentials|\.password-store(?:\/.*)?|\.vault-token|\.terraform\.d\/credentials.*|\.pgpass|\.my\.cnf|\.s3cfg|\.boto|\.oci(?:\/.*)?|\.(?:config\/)?composer\/auth\.json|\.subversion\/auth(?:\/.*)?|\.rclone\.conf|\.fly\/config\.yml|\.supabase\/access-token|\.(?:config\/)?\.?wrangler\/config\/.*|\.age(?:\/.*)?|\.config\/sops\/age(?:\/.*)?|\.config\/(?:heroku|fly|stripe|configstore|hcloud)\/.*|\.(?:local\/share|config)\/(?:1Password|Bitwarden|keepassxc)(?:\/.*)?|Library\/Keychains(?:\/.*)?|\.local\/share\/keyrings(?:\/.*)?|\.(?:mozilla|thunderbird)(?:\/.*)?|\.config\/(?:google-chrome|chromium)(?:\/.*)?|\.electrum.*|\.bitcoin(?:\/.*)?|\.claude\/\.credentials\.json|\.codex\/auth\.json|\.(?:bash|zsh)_history)$/;
const SECRET_OF_SYSTEM =
  /^\/(?:etc\/(?:shadow|gshadow|sudoers)-?|etc\/sudoers\.d\/.*|etc\/ssh\/ssh_host_.*key|etc\/ssl\/private(?:\/.*)?|proc\/(?:\d+|self)\/environ|var\/run\/secrets(?:\/.*)?|run\/secrets(?:\/.*)?)$/;
const HOMES = /^(?:\/home\/[^/]+|\/Users\/[^/]+|\/root|\/var\/root)\/(.*)$/;
/** Programs that use keys as intended, only name paths, or only look whether they exist. */
const MAY_NAME = new Set(
  "echo printf ssh ssh-add ssh-keygen ssh-copy-id autossh mosh sshfs test [ [[ mkdir cd pushd export declare local readonly alias basename dirname realpath readlink which type command true false : kubectl helm aws gcloud az terraform ansible ansible-playbook".split(
    " ",
  ),
);
const WRITERS = new Set("rm mv cp tee ln install dd truncate shred touch sed rsync chown chmod".split(" "));
const NETWORK = new Set(
  "curl wget nc ncat netcat socat telnet ftp sftp scp rsync ssh http https xh openssl mail mailx sendmail mutt rclone aws gsutil".split(
    " ",
  ),
);

/** The secret store a word names, as people call it. */
function secretOf(word: ShellWord, call: Call): string | undefined {
  if (!/[./~]/.test(word.text) && word.parts.length < 2) return undefined;
  // Which process it is does not matter: `/proc/$PPID/environ` is that of the agent, with the key of its model.
  if (/^\/proc\/[^/]+\/(?:task\/[^/]+\/)?environ$/.test(word.text)) return "the environment of a process";
  const { path } = placeOf(word, call);
  if (path === undefined) return undefined;
  const { home } = call.scene;
  const below = path.startsWith(`${home}/`) ? path.slice(home.length + 1) : HOMES.exec(path)?.[1];
  if (below !== undefined && SECRET_AT_HOME.test(below)) return below;
  return SECRET_OF_SYSTEM.test(path) ? path : undefined;
}

/** Below a home: no secrets themselves, but what tells where they are used. */
const NEAR_SECRETS =
  /(?:^|\/)(?:\.ssh\/known_hosts\S*|\.m2\/settings(?:-security)?\.xml|\.gradle\/gradle\.properties|\.nuget\/NuGet\/NuGet\.Config|\.bundle\/config)$/;

/** The pieces of a word that can be paths: `~/.ssh:/keys`, `--file=~/.netrc`. */
function piecesOf(word: ShellWord): readonly ShellWord[] {
  const pieces = /[:=,@]/.test(word.text) ? word.text.split(/[:=,@]/).filter((text) => /^[~/]/.test(text)) : [];
  return [word, ...pieces.map((text) => asPath(text, word))];
}

/** For every command: does it read or change a secret store? */
export function judgeSecrets(call: Call, report: Report): void {
  for (const { operator, target } of call.command.redirects) {
    const secret = secretOf(target, call);
    if (secret)
      report(
        operator.startsWith("<") ? "reads-secret" : "changes-secret",
        `it ${operator.startsWith("<") ? "reads" : "writes"} ${secret}`,
        target,
      );
  }
  if (MAY_NAME.has(call.name) || (call.name === "chmod" && /^0?[4-7]00$/.test(call.given.operands[0]?.text ?? ""))) return;
  for (const word of call.words.slice(1)) judgeSecretWord(word, call, report);
}

function judgeSecretWord(word: ShellWord, call: Call, report: Report): void {
  const secret = piecesOf(word)
    .map((piece) => secretOf(piece, call))
    .find(Boolean);
  const isWriter = WRITERS.has(call.name);
  if (secret)
    report(isWriter ? "changes-secret" : "reads-secret", `it ${isWriter ? "touches" : "reads"} ${secret}, which holds secrets`, word);
  else if (NEAR_SECRETS.test(placeOf(word, call).path ?? "")) report("looks-near-secrets", "it looks at a file beside secrets", word);
}

/** Something secret goes into a program that talks to the network. */
function judgeNetwork(call: Call, report: Report): void {
  for (const source of call.sources()) {
    if (isSecretSource(source, call)) report("sends-secret", "it sends secrets over the network", source);
  }
  for (const { value, word } of UPLOADS.has(call.name) ? call.given.options : []) {
    const file = /@(.+)$/.exec(value ?? "")?.[1] ?? value;
    if (file && /[/~]/.test(file) && secretOf(asPath(file, word), call))
      report("sends-secret", "it sends a file with secrets over the network", word);
  }
  const named = UPLOADS.has(call.name) ? call.words.slice(1).find(({ text }) => SECRET_NAME.test(text)) : undefined;
  if (named) report("sends-secret", "it sends a file with secrets over the network", named);
  const substituted = call.words
    .slice(1)
    .find(({ parts }) => parts.some((part) => part.kind === "computed" && SECRET_TEXT.test(part.source)));
  if (substituted) report("sends-secret", "it sends secrets over the network", substituted);
}

const UPLOADS = new Set("curl wget nc ncat netcat http https xh mail mailx mutt rclone".split(" "));
const SECRET_NAME =
  /(?:^|[/@=:~<\uFFFF])\.(?:ssh\/(?:id_\w+$|\w+_key$)|aws\/credentials|gnupg\/|netrc$|git-credentials$|kube\/config$|docker\/config\.json$|env(?:\.(?!example|sample)\w+)?$)|\/etc\/(?:shadow|passwd|sudoers)$/;
const SECRET_TEXT = /(?:\.ssh\/id_|\.aws\/credentials|\.gnupg|\.netrc|\/etc\/shadow|\.env\b|(?:^|[\s(`])(?:env|printenv)(?:\s|[)`|]|$))/;

function isSecretSource(source: ShellCommand, { scene }: Call): boolean {
  const call = scene.callOf(source);
  if (call.name === "env" || call.name === "printenv" || call.name === "set") return source.words.length === 1;
  if (call.words.slice(1).some(({ text }) => /(?:^|\/)\.env(?:\.\w+)?$/.test(text))) return true;
  return (
    call.words.slice(1).some((word) => secretOf(word, call) !== undefined) || source.redirects.some(({ target }) => secretOf(target, call))
  );
}

function asPath(text: string, { span }: ShellWord): ShellWord {
  const isHome = text.startsWith("~");
  const rest = { kind: "text" as const, text: isHome ? text.slice(1) : text, isQuoted: false };
  return { text, source: text, span, parts: isHome ? [{ kind: "home", text: "~" }, rest] : [rest] };
}

/** `bash -i >& /dev/tcp/…`, `nc -e sh`. */
export function judgeReverseShell(call: Call, report: Report): void {
  const socket = call.command.redirects.find(({ target }) => /^\/dev\/(?:tcp|udp)\//.test(target.text));
  if (socket) report("reverse-shell", "it connects a program to an address on the network", socket.target);
}

function judgeNetcat(call: Call, report: Report): void {
  const runs = has(call, "-e", "-c", "--exec", "--sh-exec") && call.name !== "telnet";
  if (runs || call.given.operands.some(({ text }) => /^(?:exec|system):/i.test(text)))
    report("reverse-shell", "it lets the other side of a connection run commands");
  else if (call.sources().some((source) => /^(?:sh|bash|zsh)$/.test(programOf(source.words[0]))))
    report("reverse-shell", "it connects a shell to the network");
  if (call.command.redirects.some(({ operator, target }) => operator === "<" && pathText(target, call) !== undefined))
    report("sends-file", "it sends a file over the network");
}

const USUALLY_SECRET =
  /(?:^|\/)(?:\.env(?:\.(?!example|sample|template|dist)\w+)?|id_(?:rsa|dsa|ecdsa|ed25519)|[^/]+\.(?:p12|pfx|keystore|jks|kdbx)|[^/]*private[^/]*\.(?:pem|key)|service-account[\w-]*\.json)$/;
/** Who has an account: no secret, but asked for as a whole only by people who look for a way in. */
const ACCOUNTS = /^\/etc\/(?:passwd|master\.passwd|opasswd|security\/(?:passwd|opasswd))-?$/;
const SHOWS_KEYS = "it shows private keys or passwords";

export const SECRET_RULES: readonly (Rule | Judge)[] = [
  { programs: [...NETWORK].join(" "), judge: judgeNetwork },
  { programs: "nc ncat netcat socat telnet", judge: judgeNetcat },
  {
    programs: "gpg gpg2",
    with: ["--export-secret-keys", "--export-secret-subkeys", "--delete-secret-keys", "--delete-secret-and-public-key"],
    kind: "reads-secret",
    text: SHOWS_KEYS,
  },
  {
    programs: "security",
    sub: "find-generic-password|find-internet-password|dump-keychain|export|delete-keychain|unlock-keychain|add-trusted-cert|set-keychain-settings|authorizationdb",
    kind: "reads-secret",
    text: SHOWS_KEYS,
  },
  { programs: "gh glab", sub: "auth token", kind: "reads-secret", text: SHOWS_KEYS },
  { programs: "gcloud", sub: "auth print-*", kind: "reads-secret", text: SHOWS_KEYS },
  { programs: "gcloud", sub: "auth application-default print-*", kind: "reads-secret", text: SHOWS_KEYS },
  { programs: "az", sub: "account get-access-token", kind: "reads-secret", text: SHOWS_KEYS },
  { programs: "heroku", sub: "auth:token", kind: "reads-secret", text: SHOWS_KEYS },
  { programs: "git", sub: "credential fill", kind: "reads-secret", text: SHOWS_KEYS },
  { programs: "ssh-add", with: ["-D"], kind: "changes-service", text: "it forgets every key" },
  { programs: "secret-tool", sub: "lookup|search|clear", kind: "reads-secret", text: SHOWS_KEYS },
  { programs: "pass gopass", sub: "show|rm|insert|edit", kind: "reads-secret", text: SHOWS_KEYS },
  { programs: "curl", with: ["-T", "--upload-file"], kind: "sends-file", text: "it sends a file over the network" },
  { programs: "wget", with: ["--post-file", "--body-file"], kind: "sends-file", text: "it sends a file over the network" },
  {
    programs:
      "cat less more head tail bat tac nl strings xxd od hexdump base64 base32 cp mv scp rsync tar zip ln view vi vim nano emacs ed",
    when: ({ words, command }) =>
      words.slice(1).some(({ text }) => ACCOUNTS.test(text)) ||
      command.redirects.some(({ operator, target }) => operator === "<" && ACCOUNTS.test(target.text)),
    kind: "reads-secret",
    text: "it reads who has an account on the machine",
  },
  {
    programs: "cat less more head tail bat tac nl strings xxd od base64 cp scp",
    when: ({ words }) => words.some(({ text }) => USUALLY_SECRET.test(text)),
    kind: "looks-near-secrets",
    text: "it reads a file that usually holds secrets",
  },
];
