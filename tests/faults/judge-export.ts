/** The export of a round, judged by the program that a stranger runs, and that shares no line with ours. */
import { execFile } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { ROOT } from "../architecture/workspaces.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"

const CHECKER = join(ROOT, "packages/audit/check.py")

interface Ended {
  /** `ENOENT` where there is no Python. */
  readonly code: number | string
  readonly stdout: string
}

/** What it finds wrong; what it can't judge is no fault, as a charge of a model that is a program. */
export async function judgeExport(text: string, fail: (words: string) => void): Promise<void> {
  await using folder = await createTemporaryFolder()
  const path = join(folder.path, "log.ndjson")
  await writeFile(path, text)
  const ended = await promisify(execFile)("python3", [CHECKER, path]).catch(
    (error: unknown) => error as Ended,
  )
  if (!("code" in ended) || ended.code === 2 || ended.code === "ENOENT") return
  for (const line of ended.stdout.trimEnd().split("\n")) {
    if (!line.includes("can't be judged") && !line.startsWith("bill of")) fail(`check.py: ${line}`)
  }
}
