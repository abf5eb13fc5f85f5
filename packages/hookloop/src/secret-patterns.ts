// Secrets that tell by themselves, in any text. One table: it decides which variables are withheld and what a trace must not show.

/** What a value is called where its name says that it is secret, before `=`: in addresses. */
const PARAMETER =
  "(?:[\\w.-]{0,40}(?:[Tt]oken|[Kk]ey|[Ss]ecret|[Ss]ignature|[Pp]assword|[Pp]asswd|[Cc]redential)|[Ss]ig|[Pp]wd|[Aa]uth|[Jj]wt|[Ss]ession_?[Ii]d|AWSAccessKeyId)";
const VARIABLE = "[A-Z0-9_]{0,60}(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_?KEY|SECRET_?KEY|PRIVATE_?KEY|CREDENTIALS?)";
const OPTION = "--(?:[a-z-]{0,20}(?:password|passwd|token|secret|api-key|apikey|access-key|secret-key|passphrase)|pass|oauth2-bearer)";
const HEADER =
  "(?:[Xx]-)?(?:[Aa]pi-?[Kk]ey|API-KEY|[Aa]uth-?[Tt]oken|AUTH-TOKEN|[Pp]rivate-[Tt]oken|PRIVATE-TOKEN|[Aa]ccess-[Tt]oken|[Vv]ault-[Tt]oken)";
const QUOTE = "\\\\?[\"']?";

const PASSWORD = "[^\\s\"'\\\\;&|$<>()-][^\\s\"'\\\\;&|$<>()]{3,}";

/** Values that only their names give away. What a shell fills in (`$NAME`) is not the value. */
const NAMED: readonly string[] = [
  `(?<=(?:[?&#;]|\\\\u0026)${PARAMETER}=)[^\\s&#"'\\\\<>$]{6,}`,
  `(?<=\\b${VARIABLE}=${QUOTE})[^\\s"'\\\\;&|$<>()]{8,}`,
  `(?<=\\s${OPTION}[= ]${QUOTE})[^\\s"'\\\\;&|$<>()]{8,}`,
  `(?<=\\b${HEADER}${QUOTE}\\s?[:=]\\s?${QUOTE})[^\\s"'\\\\,;$]{8,}`,
  "(?<=\\b[Aa]uthorization: (?:[Tt]oken|[Aa]pi[Kk]ey|[Kk]ey|[Dd]igest|bearer|basic|Negotiate) )[^\\s\"'\\\\$]{8,}",
  "(?<=\\b[Aa]uthorization: )(?!(?:[Tt]oken|[Aa]pi[Kk]ey|Negotiate|AWS4-HMAC-SHA256) )[^\\s\"'\\\\$]{12,}",
  "(?<=\\b(?:[Ss]et-)?[Cc]ookie: )[^\"'\\\\\\r\\n]{8,}",
  // Passwords of programs, as options of one letter: of these programs only.
  `(?<=\\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\\s(?:[^\\n;&|]{0,200}\\s)?-p${QUOTE})${PASSWORD}`,
  `(?<=\\bsshpass\\s+-p\\s?${QUOTE})${PASSWORD}`,
  `(?<=\\b(?:redis-cli\\s(?:[^\\n;&|]{0,200}\\s)?-a|(?:un)?zip\\s(?:[^\\n;&|]{0,200}\\s)?-P)\\s${QUOTE})${PASSWORD}`,
  `(?<=\\s-pass(?:in|out)?\\s${QUOTE}pass:)${PASSWORD}`,
  `(?<=\\baws_(?:secret_access_key|session_token)\\s?[= ]\\s?${QUOTE})[^\\s"'\\\\;&|$<>()=]{8,}`,
  `(?<=\\s(?:-u|--user)[= ]?${QUOTE}[^\\s:"'\\\\/]{1,64}:)(?!\\d+(?:\\s|$))[^\\s"'\\\\;&|$<>()]{6,}`,
];

// SECURITY: every rule starts with a literal and ends in a class that takes all of \w, so that a match cannot uncover the next one; where a
// rule has several parts, a look-behind keeps it from starting inside its own run (quadratic otherwise).
const RULES: readonly string[] = [
  "\\bsk-[\\w-]{16,}",
  "\\b[sr]k_(?:live|test)_\\w{10,}",
  "\\bgh[a-z]_\\w{20,}",
  "\\bgithub_pat_\\w{20,}",
  "\\bgl(?:pat|dt|rt|soat|cbt|ptt|ft|imt|agent)-[\\w-]{16,}",
  "\\bxox[a-z]-[\\w-]{10,}",
  "\\bxapp-[\\w-]{10,}",
  "hooks\\.slack\\.com/services/[\\w/]{20,}",
  "\\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\\w*",
  "\\bAIza[\\w-]{35,}",
  "\\bya29\\.[\\w-]{20,}",
  "\\bnpm_\\w{30,}",
  "\\bpypi-(?:[\\w-]{50,}|AgE[\\w-]{16,})",
  "\\bwhsec_[\\w+/=-]{24,}",
  "\\b(?:gsk|ntn|glsa|sntrys)_[\\w-]{32,}",
  "\\br8_(?=[A-Za-z_]{0,36}\\d)\\w{32,}",
  "\\b(?:xai|pplx)-\\w{32,}",
  "\\b(?:CFPAT|PMAK)-[\\w-]{32,}",
  "\\bATATT3[\\w=-]{32,}",
  "\\bSK[a-f0-9]{32}\\w*",
  // Of Discord: the user's number in base64, a time, and a signature.
  "(?<![\\w-])[MNO][\\w-]{22,27}\\.[\\w-]{6}\\.[\\w-]{27,}",
  "\\bhf_\\w{30,}",
  "\\bdop_v1_\\w{40,}",
  "\\bshp(?:at|ca|pa|ss)_\\w{32,}",
  "\\blin_api_\\w{32,}",
  "\\bhvs\\.[\\w-]{24,}",
  "\\bdapi[a-f0-9]{32}\\w*",
  "\\bAGE-SECRET-KEY-1\\w{40,}",
  "\\bSG\\.[\\w-]{16,64}\\.[\\w-]{16,}",
  "(?<![\\w-])eyJ[\\w-]{8,4096}\\.eyJ[\\w-]{8,8192}\\.[\\w-]*",
  "\\b\\d{8,10}:AA[\\w-]{32,}",
  "(?<=\\b(?:Bearer|Basic) )[^\\s\"'\\\\]{8,}",
  "(?<=://[^\\s:@/\"'\\\\]{0,64}:)[^\\s@/\"'\\\\]{3,256}(?=@)",
  // A token in the place of the name: https://<token>@host. Names of people are shorter or have other characters.
  "(?<=https?://)\\w{20,256}(?=@)",
  ...NAMED,
  "-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\\s\\S]*?(?:-----END [A-Z ]{0,40}-----|$)",
];

/** The literal each rule hangs on, none of which JSON would escape. One look at it is cheaper than the rules. */
export const SECRET_HINTS: RegExp =
  /sk-|[sr]k_(?:live|test)_|gh[a-z]_|github_pat_|gl(?:pat|dt|rt|soat|cbt|ptt|ft|imt|agent)-|xox[a-z]-|xapp-|hooks\.slack|A(?:KIA|SIA|BIA|CCA)|AIza|ya29\.|npm_|pypi-|hf_|dop_v1_|shp(?:at|ca|pa|ss)_|lin_api_|hvs\.|dapi|AGE-SECRET|SG\.|eyJ|:AA|whsec_|gsk_|ntn_|glsa_|sntrys_|r8_|xai-|pplx-|CFPAT-|PMAK-|ATATT3|SK[a-f0-9]{8}|[\w-]\.[\w-]{6}\.[\w-]{27}|(?:mysql\w*|mariadb[\w-]*|sshpass|redis-cli|zip)\s[^"]{0,200}?-[paP]|pass:|--passphrase|--oauth2-bearer|aws_(?:secret|session)|B(?:earer|asic) |:\/\/[^"\s/]{0,330}@|PRIVATE KEY|(?:[Tt]oken|TOKEN|[Ss]ecret|SECRET|[Pp]assword|PASSWORD|[Pp]asswd|PASSWD|[Kk]ey|KEY|CREDENTIALS?|[Cc]redential|[Ss]ignature)\\{0,3}["']?\s?[:= ]|[?&#;6](?:[Ss]ig|[Pp]wd|[Aa]uth|[Jj]wt|[Ss]ession_?[Ii]d|AWSAccessKeyId)=|uthorization: |ookie: |--pass[= ]|\s(?:-u|--user)[= "'\\]/;

/** All rules as one; a new one for whoever asks, since a global expression remembers where it was. */
export function secretPattern(): RegExp {
  return new RegExp(RULES.join("|"), "g");
}

const ANY = new RegExp(RULES.join("|"));
/** `redis://:pw@host`: passwords that are too short to be hidden wherever they stand. */
const ADDRESS_WITH_PASSWORD = /:\/\/[^/\s:@]*:[^/\s@]+@/;

/** Whether a value is or holds a secret, whatever it is called. */
export function looksSecret(value: string): boolean {
  return (SECRET_HINTS.test(value) && ANY.test(value)) || ADDRESS_WITH_PASSWORD.test(value);
}
