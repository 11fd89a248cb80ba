/** The programs of the client's README: the first one runs, and all of them compile one behind the other. */
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, it } from "node:test"
import { promisify } from "node:util"
import { ROOT } from "../architecture/workspaces.ts"
import { compile } from "../service/generated/compile-client.ts"
import { createInProcessService } from "../service/in-process-service.ts"
import { SOURCE_FLAGS } from "../support/own-process.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { buildClient } from "./build-client.ts"

const readme = readFileSync(join(ROOT, "packages/client/README.md"), "utf8")
const programs = Array.from(readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm), ([, text = ""]) => text)

describe("the client's README", () => {
  it("makes a file of a prompt in three lines and an import", async () => {
    const [program = ""] = programs
    const lines = program.split("\n").filter((line) => line !== "" && !line.startsWith("import"))
    assert.equal(lines.length, 3)
    await using service = await createInProcessService()
    service.engine.start()
    await using folder = await createTemporaryFolder()
    const { keys, url } = service
    const named = `const url = ${JSON.stringify(url)}\nconst key = ${JSON.stringify(keys.whole)}\n`
    await symlink(join(ROOT, "node_modules"), join(folder.path, "node_modules"))
    await writeFile(join(folder.path, "program.ts"), named + program)
    const argv = [...SOURCE_FLAGS, "program.ts"]
    await promisify(execFile)(process.execPath, argv, { cwd: folder.path })
    const picture = await readFile(join(folder.path, "first-light.png"))
    assert.deepEqual(picture, Buffer.alloc(1_024, 7))
  })

  it("has programs that compile", async () => {
    assert.ok(programs.length > 4, `${programs.length} programs`)
    const named = "declare const url: string\ndeclare const key: string\n"
    const built = await buildClient()
    await using folder = await createTemporaryFolder()
    const paths = { "@safelight/client": [built.types] }
    const files = { "programs.ts": named + programs.join("") }
    // What a README shows is not all used in it.
    const errors = await compile(folder.path, files, { paths, noUnusedLocals: false })
    assert.deepEqual(errors, [])
  })
})
