/** `make-picture.mjs` beside the installed packages, in a process of a runtime's own. */
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import { cp, readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { OUTSIDE_NPM } from "./pack-packages.ts"

const PROGRAM = "make-picture.mjs"

/** Throws if the program fails, or saw or saved anything but what it should. */
export async function checkClient(
  folder: string,
  [runtime, ...flags]: readonly [string, ...string[]],
  { url, key }: { readonly url: string; readonly key: string },
): Promise<void> {
  await cp(join(import.meta.dirname, PROGRAM), join(folder, PROGRAM))
  const file = join(folder, `${randomUUID()}.png`)
  const words = [...flags, PROGRAM, url, key, file]
  const { stdout } = await promisify(execFile)(runtime, words, { cwd: folder, env: OUTSIDE_NPM })
  const picture = await readFile(file)
  assert.equal(picture.subarray(1, 4).toString(), "PNG")
  assert.deepEqual(JSON.parse(stdout), {
    status: "succeeded",
    isListed: true,
    isBelowUrl: true,
    linkedBytes: picture.length,
    refusal: "invalid_api_key",
  })
}
