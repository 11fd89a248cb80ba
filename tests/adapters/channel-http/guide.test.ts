/** The examples of the guide in the README of channel-http: the channel compiles and passes the contract. */
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { copyFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, it } from "node:test"
import { promisify } from "node:util"
import { ROOT } from "../../architecture/workspaces.ts"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"

const EXAMPLES = join(ROOT, "adapters/channel-http/examples")
const run = promisify(execFile)

describe("the guide to a channel of one's own", () => {
  it("compiles, and its channel passes the contract", async () => {
    await using folder = await createTemporaryFolder()
    const names = ["my-provider.ts", "my-provider.test.ts"]
    await symlink(join(ROOT, "node_modules"), join(folder.path, "node_modules"))
    for (const name of names) await copyFile(join(EXAMPLES, name), join(folder.path, name))
    const customConditions = ["@safelight/source"]
    const compilerOptions = { noEmit: true, customConditions }
    await writeFile(join(folder.path, "package.json"), JSON.stringify({ type: "module" }))
    const extended = { extends: join(ROOT, "tsconfig.base.json"), compilerOptions, files: names }
    await writeFile(join(folder.path, "tsconfig.json"), JSON.stringify(extended))
    const { NODE_TEST_CONTEXT: _context, ...env } = process.env
    const options = { cwd: folder.path, env }
    await run(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", "."], options)
    const argv = ["--conditions=@safelight/source", "--test", "--test-reporter=tap", names[1] ?? ""]
    const { stdout } = await run(process.execPath, argv, options)
    const count = (what: string): string | undefined =>
      new RegExp(`^# ${what} (\\d+)$`, "m").exec(stdout)?.[1]
    // Each promise of the contract is a test; what the channel has not is not asked of it.
    assert.ok(Number(count("tests")) >= 11, stdout)
    assert.deepEqual([count("pass"), count("fail")], [count("tests"), "0"])
  })
})
