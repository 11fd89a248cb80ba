/** Runs check.py on many files in one process, since Python takes longer to start than to read them. */
import { execFile, spawnSync } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { ROOT } from "../../architecture/workspaces.ts"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"

const CHECKER = join(ROOT, "packages/audit/check.py")

export const skip =
  spawnSync("python3", ["--version"]).status === 0 || process.env["CI"] !== undefined
    ? false
    : "no Python"

/** Prints each file's exit code, and what was found before it. */
const EACH = `
import contextlib, importlib.util, io, json, sys
spec = importlib.util.spec_from_file_location("check", sys.argv[1])
check = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check)
key = sys.argv[2] or None
for path in sys.argv[3:]:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = check.main(path, key)
    print(json.dumps([code, said.getvalue()]))
`

export type Verdict = readonly [code: number, said: string]

/** `key` is the log's public key; empty: nothing is said of signatures. */
export async function checkByPython(
  files: readonly (readonly string[])[],
  key = "",
): Promise<readonly Verdict[]> {
  await using folder = await createTemporaryFolder()
  const paths = files.map((_, index) => join(folder.path, `${index}.ndjson`))
  await Promise.all(files.map((lines, index) => writeFile(paths[index] ?? "", lines.join(""))))
  const { stdout } = await promisify(execFile)("python3", ["-c", EACH, CHECKER, key, ...paths], {
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Verdict)
}
