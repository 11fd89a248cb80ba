/**
 * Sound, text and 3D models in the console. The studio makes none, so a task's artifacts are replaced on their way to
 * the page.
 */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { after, before, describe, it } from "node:test"
import type { Page } from "playwright-core"
import { skipWithoutBrowser } from "../support/browser.ts"
import { createConsoleWorld, PICTURE, type ConsoleWorld } from "./console-world.ts"

/** Half a second of silence: 8 kHz, 8 bits. */
const SAMPLES = 4_000
const WAV = Buffer.concat([
  Buffer.from("RIFF"),
  uint32(36 + SAMPLES),
  Buffer.from("WAVEfmt "),
  uint32(16),
  Buffer.from([1, 0, 1, 0]),
  uint32(8_000),
  uint32(8_000),
  Buffer.from([1, 0, 8, 0]),
  Buffer.from("data"),
  uint32(SAMPLES),
  Buffer.alloc(SAMPLES, 0x80),
])
const TEXT = Buffer.from(`A quiet harbour.\n<b>Fog</b> café\n${"and so on ".repeat(5_000)}THE END`)
const SCENE = Buffer.concat([Buffer.from("glTF\u0002\0\0\0"), Buffer.alloc(2_300_000)])

const ARTIFACTS = [
  ["audio", "audio/wav", WAV],
  ["text", "text/plain", TEXT],
  ["3d", "model/gltf-binary", SCENE],
] as const

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

describe("other kinds in the console", { skip: skipWithoutBrowser }, () => {
  let world: ConsoleWorld
  let task: string

  before(async () => {
    world = await createConsoleWorld()
    task = (await world.client.run(PICTURE, { prompt: "a song", size: "square" })).task_id
  })

  after(() => world[Symbol.asyncDispose]())

  async function show(route: string): Promise<{ page: Page; complaints: readonly unknown[] }> {
    const { page, complaints } = await world.enter("#/tasks")
    const artifacts = ARTIFACTS.map(([type, mimeType]) => ({
      key: type,
      type,
      mime_type: mimeType,
      content_url: `${world.service.url}/v1/tasks/${task}/artifacts/${type}/content`,
      expires_at: Math.floor(Date.now() / 1000) + 86_400,
    }))
    await page.route("**/v1/tasks/*/artifacts", (each) =>
      each.fulfill({ json: { task_id: task, artifacts } }),
    )
    for (const [type, mimeType, body] of ARTIFACTS) {
      const digest = createHash("sha256").update(body).digest("base64")
      await page.route(`**/artifacts/${type}/content`, (each) =>
        each.fulfill({
          body,
          contentType: mimeType,
          headers: { etag: '"it"', "repr-digest": `sha-256=:${digest}:` },
        }),
      )
      await page.route(`**/artifacts/${type}/links**`, (each) =>
        each.fulfill({
          status: 403,
          json: { error: { message: "No.", type: "permission_error", code: "insufficient_scope" } },
        }),
      )
    }
    await page.goto(`${world.service.url}/${route}`)
    return { page, complaints }
  }

  it("play, are read in part, and are offered with their size, on a task's page", async () => {
    const { page, complaints } = await show(`#/tasks/${task}`)
    await page.locator("audio").waitFor()
    const seconds = await page.evaluate(`(async () => {
      const audio = document.querySelector("audio")
      if (audio.readyState < 1) await new Promise((done) => audio.addEventListener("loadedmetadata", done))
      return audio.duration
    })()`)
    assert.equal(seconds, 0.5)
    const text = (await page.locator("pre.media-text").textContent()) ?? ""
    assert.ok(text.startsWith("A quiet harbour.\n<b>Fog</b> café\n"))
    assert.ok(text.length < 5_000 && text.endsWith("…") && !text.includes("THE END"))
    await page.getByText("2.3 MB").waitFor()
    await keepPicture(page, "task")
    // A link that may not be made is the one thing that a page may complain of here.
    assert.deepEqual(complaints, [])
  })

  it("are saved whole, under a name that says what they are", async () => {
    const { page } = await show(`#/tasks/${task}`)
    await page.getByText("2.3 MB").waitFor()
    for (const [type, , body] of ARTIFACTS) {
      const panel = page
        .locator("figure.artifact")
        .filter({ has: page.locator(`code:text-is("${type}")`) })
      const [saved] = await Promise.all([
        page.waitForEvent("download"),
        panel.getByText("Download").click(),
      ])
      const ending = { audio: "wav", text: "txt", "3d": "glb" }[type]
      assert.equal(saved.suggestedFilename(), `${task}-${type}.${ending}`)
      assert.ok((await readFile(await saved.path())).equals(body), type)
    }
  })

  it("stand in the gallery, where a sound plays and the others lead to their task", async () => {
    const { page, complaints } = await show("#/gallery")
    await page.locator(".tile audio").waitFor()
    await page.getByText("2.3 MB").waitFor()
    await page.locator(".tile pre.media-text").waitFor()
    assert.equal(await page.locator("a audio").count(), 0)
    await keepPicture(page, "gallery")
    assert.deepEqual(complaints, [])
    await page.locator(".tile").filter({ hasText: "3D model" }).click()
    await page.getByRole("heading", { name: PICTURE }).waitFor()
  })
})

/** For whoever wants to look. */
async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env["SAFELIGHT_SCREENSHOTS"]
  if (folder !== undefined)
    await page.screenshot({ path: `${folder}/kinds-${name}.png`, fullPage: true })
}
