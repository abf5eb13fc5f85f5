const WORDS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is not a folder",
  EEXIST: "a part of its path is not a folder",
  ELOOP: "too many links",
  ENAMETOOLONG: "the name is too long",
};

/** What the system said about a file, in words. */
export function systemText(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code && WORDS[code]) ?? message;
}
