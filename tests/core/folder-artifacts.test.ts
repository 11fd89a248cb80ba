/**
 * A log's artifacts, judged beside a folder of files: one as the service itself keeps, and one of downloads. The log is
 * what a stranger was given: its locators may say anything.
 */
import assert from "node:assert/strict"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { describe, it } from "node:test"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import {
  createArtifactJudge,
  createFolderArtifacts,
  type ArtifactDifference,
  type ArtifactSource,
  type NamedArtifact,
} from "@safelight/audit"
import type { ManifestEntry, TaskEvent } from "@safelight/core"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { sha256 } from "./support/sha256.ts"

const TASK = "task-1"
const NOW = 1_000
const LOCATOR = "1e/task-1/image_1/00000000-0000-4000-8000-000000000000"

/** The event of a task that made one picture of each of these. */
function succeed(pictures: readonly Partial<ManifestEntry>[]): TaskEvent {
  const artifacts = pictures.map((picture, index) => ({
    bytes: 5,
    durationMs: null,
    expiresAt: NOW + 1,
    key: `image_${index + 1}`,
    locator: LOCATOR,
    mimeType: "image/png",
    sha256: sha256(["bytes"]),
    type: "image" as const,
    ...picture,
  }))
  const usage = { images: artifacts.length, inputVideosMs: [], outputVideoMs: 0 }
  const data = { artifacts, chargeMicros: 0, cost: "none" as const, usage }
  return { type: "succeeded", at: NOW, data }
}

async function judge(artifacts: ArtifactSource, ...pictures: readonly Partial<ManifestEntry>[]) {
  const found: ArtifactDifference[] = []
  const judged = createArtifactJudge({ artifacts, now: NOW }, (difference) =>
    found.push(difference),
  )
  await judged.judge(TASK, [succeed(pictures)])
  await judged.drain()
  return { ...judged.toCounts(), found: found.map(({ key, kind }) => `${key} ${kind}`) }
}

async function place(folder: string, name: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, name)), { recursive: true })
  await writeFile(join(folder, name), text)
}

const toNames = ({ key, mimeType, task }: NamedArtifact): readonly string[] => [
  `${task}-${key}.${mimeType.slice("image/".length)}`,
]

describe("a folder of artifacts", () => {
  it("may be the service's own", async () => {
    await using folder = await createTemporaryFolder()
    const service = createFilesystemArtifacts({ folder: folder.path })
    async function* body(text: string) {
      yield Buffer.from(text)
    }
    const { locator } = await service.put({ task: TASK, key: "image_1", body: body("bytes") })
    const other = await service.put({ task: TASK, key: "image_2", body: body("other") })
    const artifacts = createFolderArtifacts({ folder: folder.path })
    const pictures = [{ locator }, { locator: other.locator }, { locator: LOCATOR }]
    const { bytes, found, named } = await judge(artifacts, ...pictures)
    assert.deepEqual(found.toSorted(), ["image_2 differs", "image_3 missing"])
    assert.deepEqual([bytes, named], [10, { artifacts: 3, bytes: 15 }])
    assert.deepEqual((await judge(service, ...pictures)).found.toSorted(), found.toSorted())
  })

  it("may be one of downloads, named as the caller says", async () => {
    await using folder = await createTemporaryFolder()
    await place(folder.path, "task-1-image_1.png", "bytes")
    await place(folder.path, "task-1-image_2.png", "bytes and more")
    await mkdir(join(folder.path, "task-1-image_3.png"))
    const artifacts = createFolderArtifacts({ folder: folder.path, toNames })
    const { found } = await judge(artifacts, {}, {}, {})
    assert.deepEqual(found.toSorted(), ["image_2 differs", "image_3 missing"])
    assert.deepEqual((await judge(createFolderArtifacts({ folder: folder.path }), {})).found, [
      "image_1 missing",
    ])
  })

  it("is looked at by the locator first", async () => {
    await using folder = await createTemporaryFolder()
    await place(folder.path, "task-1-image_1.png", "other")
    const artifacts = createFolderArtifacts({ folder: folder.path, toNames })
    assert.deepEqual((await judge(artifacts, {})).found, ["image_1 differs"])
    await place(folder.path, LOCATOR, "bytes")
    assert.deepEqual((await judge(artifacts, {})).found, [])
    await rm(join(folder.path, LOCATOR))
    // A file where a folder of the locator would be.
    await rm(join(folder.path, "1e"), { recursive: true })
    await place(folder.path, "1e", "")
    assert.deepEqual((await judge(artifacts, {})).found, ["image_1 differs"])
  })

  it("is never left, whatever a log or a caller says", async () => {
    await using outer = await createTemporaryFolder()
    const folder = join(outer.path, "folder")
    await place(outer.path, "secret", "bytes")
    await place(folder, "..inside", "bytes")
    for (const name of ["../secret", "a/../../secret", "..", ".", "", "1e/../../secret"]) {
      const toOne = createFolderArtifacts({ folder, toNames: () => [name] })
      assert.deepEqual((await judge(toOne, { locator: name })).found, ["image_1 missing"], name)
    }
    const inside = createFolderArtifacts({ folder, toNames: () => ["..inside"] })
    assert.deepEqual((await judge(inside, {})).found, [])
  })

  it("that can't be read is no finding", async () => {
    await using folder = await createTemporaryFolder()
    const name = "x".repeat(300)
    const artifacts = createFolderArtifacts({ folder: folder.path, toNames: () => [name] })
    const message = new RegExp(`${name} can't be read \\(ENAMETOOLONG\\)$`)
    await assert.rejects(judge(artifacts, {}), { code: "artifacts-unavailable", message })
  })
})
