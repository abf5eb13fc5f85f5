// Files that hold keys, tokens and passwords. One table: the judgement of shell commands and the guard of secrets are made from it.

/** Below a home, as globs: `**` at the end stands for the folder and all that is in it. */
export const SECRETS_AT_HOME: readonly string[] = [
  ".ssh/**",
  ".aws/**",
  ".gnupg/**",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".netrc",
  "_netrc",
  ".docker/config.json",
  ".kube",
  ".kube/config",
  ".config/gcloud/**",
  ".azure/**",
  ".npmrc",
  ".yarnrc.yml",
  ".pypirc",
  ".git-credentials",
  ".config/gh/hosts.yml",
  ".config/git/credentials",
  ".config/op/**",
  ".config/rclone/*",
  ".config/doctl/*",
  ".config/hub",
  ".gem/credentials",
  ".password-store/**",
  ".vault-token",
  ".terraform.d/credentials*",
  ".pgpass",
  ".my.cnf",
  ".s3cfg",
  ".boto",
  ".oci/**",
  ".composer/auth.json",
  ".config/composer/auth.json",
  ".subversion/auth/**",
  ".rclone.conf",
  ".fly/config.yml",
  ".supabase/access-token",
  ".wrangler/config/*",
  ".config/.wrangler/config/*",
  ".config/wrangler/config/*",
  ".age/**",
  ".config/sops/age/**",
  ".config/heroku/*",
  ".config/fly/*",
  ".config/stripe/*",
  ".config/configstore/*",
  ".config/hcloud/*",
  ".local/share/1Password/**",
  ".config/1Password/**",
  ".local/share/Bitwarden/**",
  ".config/Bitwarden/**",
  ".local/share/keepassxc/**",
  ".config/keepassxc/**",
  "Library/Keychains/**",
  ".local/share/keyrings/**",
  ".mozilla/**",
  ".thunderbird/**",
  ".config/google-chrome/**",
  ".config/chromium/**",
  ".electrum*",
  ".bitcoin/**",
  ".claude/.credentials.json",
  ".codex/auth.json",
  ".bash_history",
  ".zsh_history",
];

/** Of the machine. */
export const SECRETS_OF_SYSTEM: readonly string[] = [
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/sudoers",
  "/etc/sudoers-",
  "/etc/sudoers.d/*",
  "/etc/ssh/ssh_host_*key",
  "/etc/ssl/private/**",
  "/proc/*/environ",
  "/var/run/secrets/**",
  "/run/secrets/**",
];

/** In any folder, by their names. */
export const SECRETS_ANYWHERE: readonly string[] = [
  ".env",
  ".env.*",
  ".envrc",
  ".dev.vars",
  ".dev.vars.*",
  "id_rsa",
  "id_dsa",
  "id_ecdsa",
  "id_ed25519",
  "*.pem",
  "*.p12",
  "*.pfx",
  "*.keystore",
  "*.jks",
  "*.kdbx",
  "*.ppk",
  "*.p8",
  "*.age-key",
  ".netrc",
  ".pgpass",
  ".htpasswd",
  ".git-credentials",
  ".vault-token",
  ".aws/credentials",
  ".docker/config.json",
  ".kube/config",
  "kubeconfig",
  "credentials.json",
  "credentials.yml",
  "credentials.yaml",
  "credentials.toml",
  "client_secret*.json",
  "service-account*.json",
  "service_account*.json",
  "application_default_credentials.json",
  "secrets.json",
  "secrets.yml",
  "secrets.yaml",
  "secrets.toml",
  "*.tfvars",
  "*.tfvars.json",
  "*.tfstate",
  "*.tfstate.backup",
  "master.key",
  "wp-config.php",
];

/** The same, where it is sure that a file is meant: code and filters have words of this form, too. */
export const SECRETS_BY_ENDING: readonly string[] = ["*.env", "*.key"];

/** What is called like a secret and is none: public halves, examples, what a repository keeps as a pattern. */
export const NO_SECRET: RegExp =
  /(?:\.pub|[._-](?:example|sample|template|tmpl|dist|defaults?|schema|d\.ts)(?:\.\w+)?|\/\.ssh\/known_hosts(?:\.old)?)$|(?:^|[/._-])(?:public|cert|certs?|chain|fullchain|ca|cacert|ca-bundle|ca-certificates|bundle)[^/]*\.pem$|(?:^|\/)(?:example|sample)\.env$|\/(?:node_modules|site-packages)\//i;

/** A table as one expression for whole paths. */
export function globsPattern(globs: readonly string[]): RegExp {
  const parts = globs.map((glob) => {
    const isTree = glob.endsWith("/**");
    const text = (isTree ? glob.slice(0, -3) : glob).replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
    return isTree ? `${text}(?:/.*)?` : text;
  });
  return new RegExp(`^(?:${parts.join("|")})$`);
}
