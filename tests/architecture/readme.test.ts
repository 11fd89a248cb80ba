/** The README says nothing that isn't so: its program runs, its commands exist, its links lead somewhere. */
import assert from "node:assert/strict"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { readFile, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { describe, it } from "node:test"
import { promisify } from "node:util"
import { DEFAULTS } from "@safelight/engine"
import { TABLES } from "@safelight/store"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { findFiles, ROOT, WORKSPACES } from "./workspaces.ts"

const readme = readFileSync(join(ROOT, "README.md"), "utf8")

/** The first block of a language. */
function block(language: string, from = readme): string {
  const [, text] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(from) ?? []
  assert.ok(text !== undefined, `the README has no ${language} block`)
  return text
}

/** Whether there is such a file and, in a page, such a heading. */
function leads(page: string, link: string): boolean {
  const [path = "", anchor] = link.split("#")
  const file = path === "" ? join(ROOT, page) : join(ROOT, dirname(page), path)
  if (!existsSync(file)) return false
  return anchor === undefined || listAnchors(readFileSync(file, "utf8")).includes(anchor)
}

/** As GitHub names them. */
function listAnchors(text: string): string[] {
  return Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  )
}

/** What stands in the first column of all tables. */
function listFirstCells(page: string): string {
  return Array.from(page.matchAll(/^\|([^|]+)\|/gm), ([, cell = ""]) => cell).join("\n")
}

/** Runs a program in an empty folder that has the repository's packages; resolves to what it prints. */
async function runProgram(program: string, folder: string): Promise<string> {
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"))
  await writeFile(join(folder, "program.ts"), program)
  const argv = ["--conditions=@safelight/source", "program.ts"]
  const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: folder })
  return stdout
}

describe("the README", () => {
  it("embeds the engine in fifteen lines that run and leave a picture", async () => {
    const program = block("ts")
    assert.equal(program.split("\n").filter((line) => line.trim() !== "").length, 15)
    await using folder = await createTemporaryFolder()
    await runProgram(program, folder.path)
    const picture = await readFile(join(folder.path, "first-light.png"))
    assert.equal(picture.subarray(1, 4).toString(), "PNG")
  })

  it("of the HTTP adapter links to one program that serves the task API", async () => {
    const program = readFileSync(join(ROOT, "adapters/http/examples/whole.ts"), "utf8")
    await using folder = await createTemporaryFolder()
    assert.match(await runProgram(program, folder.path), /^202 \/v1\/tasks\/[\da-f-]{36}\n$/)
  })

  it("of the operator makes a key, revokes it, and shows that both were recorded", async () => {
    const program = block("ts", readFileSync(join(ROOT, "packages/operator/README.md"), "utf8"))
    await using folder = await createTemporaryFolder()
    const printed = await runProgram(program, folder.path)
    assert.match(printed, /^ada key-revoked (\S+)\nada key-created \1\nada account-set acme\n$/)
  })

  it("of proofs builds a tree, signs a checkpoint and verifies a proof", async () => {
    const program = block("ts", readFileSync(join(ROOT, "packages/proof/README.md"), "utf8"))
    await using folder = await createTemporaryFolder()
    assert.equal(await runProgram(program, folder.path), "true\n")
  })

  it("names two commands, and both are scripts of the root", () => {
    const commands = block("sh")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.replace(/\s+#.*/, ""))
    assert.deepEqual(commands, ["npm ci && npm start", "npm ci && npm test"])
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      scripts: Record<string, string>
    }
    for (const [, name = ""] of readme.matchAll(/npm run (\w+)/g)) assert.ok(name in scripts, name)
    assert.ok("start" in scripts && "test" in scripts)
  })

  it("starts by npm start, passing flags through, says where it listens, and stops with 0", async () => {
    await using folder = await createTemporaryFolder()
    const argv = ["start", "--silent", "--", "--port", "0", "--data", folder.path]
    const child = spawn("npm", argv, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] })
    let url: string | undefined
    for await (const line of createInterface({ input: child.stdout })) {
      url = /^listening on (http:\/\/127\.0\.0\.1:\d+)$/.exec(line)?.[1]
      if (url !== undefined) break
    }
    const response = await fetch(`${url}/readyz`)
    assert.equal(response.status, 200)
    const exited = once(child, "exit")
    child.kill("SIGTERM")
    assert.deepEqual(await exited, [0, null])
  })

  it("of the store has every table, and that of the engine every setting", () => {
    const tables = Object.keys(TABLES).map((name) =>
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    )
    for (const [folder, names] of [
      ["store", tables],
      ["engine", Object.keys(DEFAULTS)],
    ] as const) {
      const cells = listFirstCells(
        readFileSync(join(ROOT, "packages", folder, "README.md"), "utf8"),
      )
      assert.deepEqual(
        names.filter((name) => !cells.includes(`\`${name}\``)),
        [],
        folder,
      )
    }
  })

  it("links only to what is there, as every README and page does", () => {
    const folders = [".", ...WORKSPACES.map(({ folder }) => folder)]
    const pages = [
      ...folders.map((folder) => join(folder, "README.md")),
      "packages/README.md",
      ...findFiles(".github", ".md"),
      ...WORKSPACES.flatMap(({ folder }) => findFiles(`${folder}/docs`, ".md")),
    ]
    const broken = pages.flatMap((page) => {
      const text = readFileSync(join(ROOT, page), "utf8")
      const links = [...text.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link = ""]) => link)
      return links.filter((link) => !leads(page, link)).map((link) => `${page}: ${link}`)
    })
    assert.deepEqual(broken, [])
  })
})
