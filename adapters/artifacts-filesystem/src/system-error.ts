/** The errors of failed system calls, by their names. */

/** The name of a failed system call's error, such as `ENOENT`; undefined for any other error. */
export function toErrorName(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined
  return typeof error.code === "string" ? error.code : undefined
}

/** The errors of an open or a walk if there is no such file, or if a link is in its path. */
const ABSENCES: ReadonlySet<string | undefined> = new Set([
  "ENOENT",
  "ENOTDIR",
  "ELOOP",
  // Some BSDs answer this for a link that is opened with O_NOFOLLOW.
  "EMLINK",
  // The path is a socket.
  "ENXIO",
])

export function isAbsence(error: unknown): boolean {
  return ABSENCES.has(toErrorName(error))
}

/** Resolves to undefined if the work fails because there is no such file. */
export async function unlessAbsent<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw error
  }
}
