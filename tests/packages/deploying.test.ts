/** What the page about deploying starts: the installed service as its unit and its container start it. */
import assert from "node:assert/strict"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { before, describe, it } from "node:test"
import { promisify } from "node:util"
import { ROOT } from "../architecture/workspaces.ts"
import { installPackages, skipElsewhere, type Installation } from "./install-packages.ts"
import { OUTSIDE_NPM } from "./pack-packages.ts"
import { checkClient } from "./run-client.ts"

const UNIT = join(ROOT, "packages/safelight/docs/deploy/safelight.service")
const ANALYZE = "/usr/bin/systemd-analyze"

const skipWithoutSystemd =
  existsSync(ANALYZE) || process.env["CI"] !== undefined ? skipElsewhere : `no ${ANALYZE}`

const CONTAINERFILE = readFileSync(join(ROOT, ".github/container/Containerfile"), "utf8")

/** The words of an instruction of the image that is a list of words. */
function readWords(instruction: string): string[] {
  const [, list = "[]"] = new RegExp(`^${instruction} (\\[.*\\])$`, "m").exec(CONTAINERFILE) ?? []
  return JSON.parse(list) as string[]
}

/** The variables of the image. */
function readVariables(): Readonly<Record<string, string>> {
  const [, line = ""] = /^ENV (.*)$/m.exec(CONTAINERFILE) ?? []
  return Object.fromEntries(line.split(" ").map((each) => each.split("=", 2)))
}

describe("the page about deploying", { skip: skipElsewhere }, () => {
  let installation: Installation

  before(async () => {
    installation = await installPackages()
  })

  it("starts the service as its container does: it serves, makes a picture and stops with 0", async () => {
    const { folder } = installation
    const data = join(folder, "running", "container")
    await mkdir(data, { recursive: true })
    const [node = "", script = "", ...words] = [...readWords("ENTRYPOINT"), ...readWords("CMD")]
    assert.deepEqual([node, words], ["/usr/local/bin/node", ["serve"]])
    const variables = readVariables()
    assert.deepEqual(
      [variables["SAFELIGHT_HOST"], variables["SAFELIGHT_DATA"]],
      ["0.0.0.0", "/data"],
    )
    // On the loopback alone, on a free port, with the data in a folder of the test's.
    const own = { SAFELIGHT_HOST: "127.0.0.1", SAFELIGHT_DATA: data, TMPDIR: data }
    const argv = [script.replace("/opt/safelight", folder), ...words, "--port", "0"]
    const child = spawn(process.execPath, argv, {
      cwd: folder,
      env: { ...OUTSIDE_NPM, ...variables, ...own },
      stdio: ["ignore", "pipe", "ignore"],
    })
    const exited = once(child, "exit")
    let url = ""
    for await (const line of createInterface({ input: child.stdout })) {
      url = /^listening on (http:\S+)$/.exec(line)?.[1] ?? ""
      if (url !== "") break
    }
    const [name = ""] = (await readdir(data)).filter((each) => each.startsWith("first-key-"))
    const key = (await readFile(join(data, name), "utf8")).trim()
    await checkClient(folder, [process.execPath], { url, key })
    child.kill("SIGTERM")
    assert.deepEqual(await exited, [0, null])
  })

  it("has a unit that systemd takes without a word", { skip: skipWithoutSystemd }, async () => {
    const { folder } = installation
    const file = join(folder, "safelight.service")
    const unit = readFileSync(UNIT, "utf8")
      .replace("/usr/bin/node", process.execPath)
      .replace("/opt/safelight", folder)
    const script = /^ExecStart=\S+ (\S+) serve/m.exec(unit)?.[1] ?? assert.fail("no ExecStart")
    assert.ok(existsSync(script), script)
    await writeFile(file, unit)
    const { stderr, stdout } = await promisify(execFile)(ANALYZE, ["verify", "--man=no", file])
    assert.equal(`${stdout}${stderr}`, "")
  })
})
