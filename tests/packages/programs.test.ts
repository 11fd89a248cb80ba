/**
 * Programs of a user against the packed packages: the examples and what pages show compile, strictly and with the
 * declarations of the packages checked too, and the page about embedding runs as it stands.
 */
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { before, describe, it } from "node:test"
import { promisify } from "node:util"
import { ROOT } from "../architecture/workspaces.ts"
import { installPackages, skipElsewhere, type Installation } from "./install-packages.ts"

const COMPILER = join(ROOT, "node_modules/typescript/bin/tsc")

/** Pages whose TypeScript is a whole program, by the name of the file that it is written to. */
const PAGES = {
  "readme.ts": "README.md",
  "embedding.ts": "packages/engine/docs/embedding.md",
}

const EXAMPLES = [
  "examples/whole.ts",
  ...["node", "express", "fastify", "hono"].map((name) => `examples/${name}/server.ts`),
  ...["express", "fastify", "hono"].map((name) => `client-examples/${name}/server.ts`),
  ...["worker", "order"].map((name) => `engine-examples/worker/${name}.ts`),
]

/** Every declaration that a program reaches is checked too, those of the packages first. */
const STRICT = {
  target: "es2024",
  strict: true,
  skipLibCheck: false,
  noEmit: true,
  allowImportingTsExtensions: true,
  types: ["node"],
}

/** What Next.js checks of a route by a file that its build writes, and the settings that it builds with. */
const NEXT_CHECK = `
import type { NextConfig } from "next"
import type { NextRequest } from "next/server"
import config from "./examples/next/next.config.mjs"
import * as route from "./examples/next/app/media/[...path]/route.ts"
import * as order from "./client-examples/next/app/pictures/route.ts"
import * as picture from "./client-examples/next/app/pictures/[task]/route.ts"
import * as webhook from "./client-examples/next/app/webhook/route.ts"

type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS"
type Context = { readonly params: Promise<{ readonly path: string[] }> }
type Answer = (request: NextRequest, context: Context) => Response | Promise<Response>
export const methods: Readonly<Record<Method, Answer>> = route
export const segment: { readonly runtime: "nodejs" | "edge"; readonly dynamic: "auto" | "force-dynamic" } = route
export const settings: NextConfig = config
type Shown = { readonly params: Promise<{ readonly task: string }> }
export const posts: readonly ((request: NextRequest) => Promise<Response>)[] = [order.POST, webhook.POST]
export const shows: (request: NextRequest, context: Shown) => Promise<Response> = picture.GET
`

describe("a program against the packed packages", { skip: skipElsewhere }, () => {
  let installation: Installation
  let programs: readonly string[]

  before(async () => {
    installation = await installPackages()
    programs = [...EXAMPLES, ...(await writePrograms(installation.folder))]
  })

  it("compiles with the resolution of Node", async () => {
    const options = { ...STRICT, module: "nodenext" }
    assert.equal(await compile(installation.folder, programs, options), "")
  })

  it("compiles with the resolution of bundlers", async () => {
    const options = { ...STRICT, module: "preserve", moduleResolution: "bundler" }
    assert.equal(await compile(installation.folder, programs, options), "")
  })

  it("compiles as a route of Next.js", async () => {
    await writeFile(join(installation.folder, "next-check.ts"), NEXT_CHECK)
    const bundled = { module: "preserve", moduleResolution: "bundler", allowJs: true }
    const options = { ...STRICT, ...bundled, skipLibCheck: true, jsx: "preserve" }
    assert.equal(await compile(installation.folder, ["next-check.ts"], options), "")
  })

  it("runs as the page about embedding shows it, to its end", async () => {
    const cwd = join(installation.folder, "running", "embedding")
    await mkdir(cwd, { recursive: true })
    const program = join(installation.folder, "embedding.ts")
    const { stdout } = await promisify(execFile)(process.execPath, [program], { cwd })
    assert.match(stdout, /^image_1 image\/png \d+\n\d+ bytes\n/)
    assert.match(stdout, /chargedMicros|chargeMicros/)
  })
})

/** One file for each page, with the page's programs one behind the other; resolves to their names. */
async function writePrograms(folder: string): Promise<string[]> {
  return Promise.all(
    Object.entries(PAGES).map(async ([name, page]) => {
      const text = await readFile(join(ROOT, page), "utf8")
      const blocks = Array.from(text.matchAll(/^```ts\n([\s\S]*?)^```$/gm), ([, each = ""]) => each)
      assert.ok(blocks.length > 0, `${page} has no program`)
      await writeFile(join(folder, name), blocks.join("\n"))
      return name
    }),
  )
}

/** Resolves to what the compiler complains of. */
async function compile(
  folder: string,
  files: readonly string[],
  compilerOptions: object,
): Promise<string> {
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }))
  const words = [COMPILER, "--project", folder, "--pretty", "false"]
  const compiling = promisify(execFile)(process.execPath, words, { cwd: folder })
  return compiling.then(
    ({ stdout }) => stdout,
    (error: unknown) => {
      if (error instanceof Error && "stdout" in error && error.stdout !== "")
        return String(error.stdout)
      throw error
    },
  )
}
