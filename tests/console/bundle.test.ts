/** How large the built console is, compressed, and what must not be in it. */
import assert from "node:assert/strict"
import { readdir, readFile } from "node:fs/promises"
import { describe, it } from "node:test"
import { gzipSync } from "node:zlib"
import { consoleFolder } from "@safelight/console"

const MOST_BYTES = 150_000

describe("the console's files", () => {
  const readPart = (name: string): Promise<Buffer> => readFile(new URL(name, consoleFolder))

  it("take less than 150 kB, all pages together", async () => {
    const names = (await readdir(new URL("assets/", consoleFolder))).map((name) => `assets/${name}`)
    const page = await readPart("index.html")
    const text = page.toString()
    const named = names.filter((name) => text.includes(name))
    assert.ok(named.some((name) => name.endsWith(".js")))
    const parts = await Promise.all(names.map(readPart))
    const total = [page, ...parts].reduce((sum, part) => sum + gzipSync(part).length, 0)
    assert.ok(total > 10_000 && total < MOST_BYTES, `${total} bytes`)
  })

  it("hold no schema library and no machine: they are for the service and the build", async () => {
    const names = await readdir(new URL("assets/", consoleFolder))
    const scripts = await Promise.all(
      names.filter((name) => name.endsWith(".js")).map((name) => readPart(`assets/${name}`)),
    )
    const text = Buffer.concat(scripts).toString()
    for (const mark of ["xstate", "valibot", "dagre", "immer"]) {
      assert.equal(text.includes(mark), false, mark)
    }
  })

  it("hold no inline script or style, which their policy would refuse", async () => {
    const text = (await readPart("index.html")).toString()
    assert.doesNotMatch(text, /<style|<script(?![^>]* src=)| style=| on\w+=/)
  })
})
