/** Programs in Python, as their users run them. */
import { execFile, spawnSync } from "node:child_process"
import { promisify } from "node:util"

export interface PythonEnd {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The first in the path, or Debian's, that has these modules; undefined if neither has. */
export function findPython(modules: string): string | undefined {
  return ["python3", "/usr/bin/python3"].find(
    (each) => spawnSync(each, ["-c", `import ${modules}`]).status === 0,
  )
}

/** Resolves however it ends. */
export function runPython(
  python: string | undefined,
  words: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<PythonEnd> {
  return promisify(execFile)(python ?? "python3", words, options).then(
    ({ stderr, stdout }) => ({ code: 0, stdout, stderr }),
    (error: unknown) => error as PythonEnd,
  )
}
