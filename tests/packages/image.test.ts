/** The image: what it is made of, and that it makes a film with a root that is read-only and 512 MiB. */
import assert from "node:assert/strict"
import { chown, mkdir, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { before, describe, it } from "node:test"
import { createClient } from "@safelight/client"
import { findFreePort } from "../support/free-port.ts"
import { until } from "../support/until.ts"
import { buildImage, readText, skipImage, type Image } from "./build-image.ts"
import { runImage } from "./run-image.ts"

/** Room for a base with the files of gcr.io/distroless/cc-debian12, which are 24 MB. */
const MOST_OWN_BYTES = 226_000_000

const MEMORY_BYTES = 512 * 1024 * 1024

describe("the image", { skip: skipImage }, () => {
  let image: Image

  before(async () => {
    image = await buildImage()
  })

  it("says how it is run: not as root, with a health check of ours, and by node itself", () => {
    const { config } = image
    assert.equal(config.User, "65532:65532")
    assert.equal(config.StopSignal, "SIGTERM")
    const safelight = [
      "/usr/local/bin/node",
      "/opt/safelight/node_modules/safelight/bin/safelight.js",
    ]
    assert.deepEqual(config.Entrypoint, safelight)
    assert.deepEqual(config.Cmd, ["serve"])
    assert.deepEqual(config.Healthcheck?.Test, ["CMD", ...safelight, "ready"])
    assert.deepEqual(Object.keys(config.Volumes), ["/data"])
  })

  it("is small, has no shell, and lists what is in it", async () => {
    assert.ok(image.ownBytes > 0 && image.ownBytes < MOST_OWN_BYTES, String(image.ownBytes))
    assert.ok(!(await readdir(image.root)).includes("bin"))
    const { bomFormat, components } = JSON.parse(
      await readText(image, "opt/safelight/sbom.cdx.json"),
    )
    assert.equal(bomFormat, "CycloneDX")
    const listed = new Set((components as readonly { name: string }[]).map(({ name }) => name))
    const modules = join(image.root, "opt/safelight/node_modules")
    const installed = (await readdir(modules)).filter((name) => /^[a-z]/.test(name))
    assert.deepEqual(
      installed.filter((name) => !listed.has(name)),
      [],
    )
    assert.ok(listed.has("@safelight/core") && listed.has("pg"))
  })

  it("makes a film, tells that it is ready, and stops at once on SIGTERM", async (t) => {
    const data = join(tmpdir(), `safelight-image-data-${process.pid}`)
    await mkdir(data, { mode: 0o700 })
    await chown(data, 65_532, 65_532)
    t.after(() => rm(data, { recursive: true, force: true }))
    const port = String(await findFreePort())
    const environment = { SAFELIGHT_PORT: port, SAFELIGHT_HOST: "127.0.0.1" }
    const running = await runImage(image, { data, memoryBytes: MEMORY_BYTES, environment })
    t.after(() => running.kill())
    const ended = running.exited.then(() => assert.fail(running.output()))
    ended.catch(() => {})
    await Promise.race([until(() => /^listening on /m.test(running.output())), ended])

    const [name = ""] = (await readdir(data)).filter((each) => each.startsWith("first-key-"))
    const key = (await readFile(join(data, name), "utf8")).trim()
    const client = createClient({ url: `http://127.0.0.1:${port}`, key })
    const parameters = { prompt: "waves at night", resolution: "480p", duration: 4 } as const
    const ran = client.run("vendor-c/video-2.5/reference-to-video", parameters)
    const { status } = await Promise.race([ran, ended])
    assert.equal(status, "succeeded", running.output())

    const facts = await readFile(`/proc/${await running.pid()}/status`, "utf8")
    assert.match(facts, /^NSpid:\t\d+\t1$/m)
    assert.match(facts, /^Uid:\t65532\t65532\t65532\t65532$/m)
    assert.match(facts, /^CapEff:\t0+$/m)
    assert.deepEqual(await running.execute(["ready"]), { code: 0, text: "ready\n" })
    const { code, text } = await running.execute(["doctor", "--timeout", "60s"])
    assert.deepEqual([code, /^fault/m.test(text)], [0, false], text)

    const bytes = await running.readPeakBytes()
    if (bytes === undefined) t.diagnostic("this machine lets no memory be bounded")
    else {
      assert.ok(bytes > 0 && bytes <= MEMORY_BYTES)
      t.diagnostic(`${Math.round(bytes / 1e6)} MB of memory at most`)
      assert.match(running.output(), /"memoryBytes":536870912,/)
    }
    process.kill(await running.pid(), "SIGTERM")
    assert.deepEqual(await running.exited, [0, null])
    assert.match(running.output(), /"msg":"stopped"/)
  })
})
