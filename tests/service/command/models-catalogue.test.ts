/** `safelight models available` and `models add`: the bundled catalogue, from which files are made. */
import assert from "node:assert/strict"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, test } from "node:test"
import { findCatalogueModel, listCatalogue } from "@safelight/catalogue"
import { runCommand, temporaryFolder } from "./command-process.ts"

interface Written {
  readonly id: string
  readonly price?: object
  readonly parameters: object
}

async function readModel(folder: string, path: string): Promise<Written> {
  return JSON.parse(await readFile(join(folder, path), "utf8")) as Written
}

describe("models available", () => {
  test("lists every model with its kind, its providers and its list price", async (t) => {
    const folder = await temporaryFolder(t)
    const { code, stderr, stdout } = await runCommand(["models", "available"], { folder })
    assert.deepEqual([code, stderr], [0, ""])
    assert.match(stdout, /^NAME +MAKES +BY +TITLE +LIST PRICE\n/)
    assert.equal(stdout.split("\n").length, (await listCatalogue()).length + 2)
    assert.match(
      stdout,
      /^flux-2-pro +image +fal,replicate,black-forest-labs,\S+ +FLUX\.2 \[pro\] +fal 30000 micro-units \(0\.030000\) an image \(\d{4}-\d\d-\d\d\); black-forest-labs 30000 /m,
    )
    assert.match(stdout, /^ray-2 +video +fal,comfy-router +Luma Ray 2 +unknown$/m)
  })

  test("shows one kind or one provider, as JSON too, and says what there is if it finds none", async (t) => {
    const folder = await temporaryFolder(t)
    const words = ["models", "available", "--kind", "3d", "--provider", "fal", "--json"]
    const { code, stdout } = await runCommand(words, { folder })
    assert.equal(code, 0)
    const found = JSON.parse(stdout) as readonly { name: string; kinds: readonly string[] }[]
    assert.ok(found.some(({ name }) => name === "trellis"))
    assert.ok(found.every(({ kinds }) => kinds.includes("3d")))
    const none = await runCommand(["models", "available", "--kind", "hologram"], { folder })
    assert.equal(none.code, 2)
    assert.match(
      none.stderr,
      /of hologram; there are 3d, audio, image, text, video by ark, black-forest-labs, .*, xai/,
    )
  })
})

describe("models add", () => {
  test("writes the files as they are in the catalogue, and says what is missing", async (t) => {
    const folder = await temporaryFolder(t)
    const words = ["models", "add", "flux-2-pro", "luma/ray-2"]
    const { code, stderr, stdout } = await runCommand(words, { folder })
    assert.deepEqual([code, stderr], [0, ""])
    const original = await findCatalogueModel("flux-2-pro")
    assert.deepEqual(await readModel(folder, "models/flux-2-pro.json"), original?.file)
    assert.deepEqual((await readdir(join(folder, "models"))).toSorted(), [
      "flux-2-pro.json",
      "ray-2.json",
    ])
    assert.match(
      stdout,
      /made by fal \(FAL_KEY\), replicate \(REPLICATE_API_TOKEN\), black-forest-labs \(BFL_API_KEY\), /,
    )
    assert.match(stdout, /no price yet, .*; list price: fal 30000 micro-units/)
    assert.match(stdout, /no price yet, .*; no list price is known/)
    assert.match(stdout, /"models": \["\.\/models"\].*\n +then safelight models check\n$/)
  })

  test("gives another id, another folder, and a price that is rounded up", async (t) => {
    const folder = await temporaryFolder(t)
    const words = ["models", "add", "nano-banana-2", "--as", "acme/quick", "--folder", "own/files"]
    const { code, stdout } = await runCommand([...words, "--margin", "1.333"], { folder })
    assert.equal(code, 0)
    const { id, price } = await readModel(folder, "own/files/quick.json")
    assert.equal(id, "acme/quick")
    assert.deepEqual(price, {
      perImageMicros: 106_640,
      factors: { resolution: { "0.5K": "0.75", "1K": "1", "2K": "1.5", "4K": "2" } },
    })
    assert.match(stdout, /price: 106640 micro-units \(0\.106640\) an image, by resolution/)
    assert.match(stdout, /"models": \["\.\/own\/files"\]/)
  })

  test("overwrites nothing, and writes either all or none", async (t) => {
    const folder = await temporaryFolder(t)
    await mkdir(join(folder, "models"))
    await writeFile(join(folder, "models/ray-2.json"), "mine")
    const existing = await runCommand(["models", "add", "flux-2-pro", "ray-2"], { folder })
    assert.equal(existing.code, 2)
    assert.match(existing.stderr, /models\/ray-2\.json is there already/)
    const unknown = await runCommand(["models", "add", "flux-2-pro", "flux-9"], { folder })
    assert.equal(unknown.code, 2)
    assert.match(unknown.stderr, /the catalogue has no flux-9: see safelight models available/)
    const two = await runCommand(["models", "add", "flux-2-pro", "photon", "--as", "a/b"], {
      folder,
    })
    assert.match(two.stderr, /two models would be models\/b\.json/)
    assert.deepEqual(await readdir(join(folder, "models")), ["ray-2.json"])
    assert.equal(await readFile(join(folder, "models/ray-2.json"), "utf8"), "mine")
  })

  for (const [words, reason] of [
    [["--as", "flux"], /--as is flux: expected an id such as acme\/flux/],
    [["--as", "acme/../x"], /--as is acme\/\.\.\/x: expected an id/],
    [["--margin", "0.9"], /--margin is 0\.9: expected a decimal from 1/],
    [["--margin", "1.23456"], /--margin is 1\.23456: expected/],
  ] as const) {
    test(`refuses ${words.join(" ")}, and writes nothing`, async (t) => {
      const folder = await temporaryFolder(t)
      const { code, stderr } = await runCommand(["models", "add", "photon", ...words], { folder })
      assert.equal(code, 2)
      assert.match(stderr, reason)
      assert.deepEqual(await readdir(folder), [])
    })
  }
})
