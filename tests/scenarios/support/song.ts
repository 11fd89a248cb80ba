/** A model that makes a song with its cover and its words, and an engine that makes it, for scenarios of mixed results. */
import { join } from "node:path"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import {
  defineModel,
  fields,
  text,
  type ArtifactStorage,
  type Completed,
  type PriceBook,
  type Probe,
  type Storage,
} from "@safelight/core"
import { createEngine, type Engine } from "@safelight/engine"
import { createMediaInspector } from "@safelight/media-inspector"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createUpstream, type Upstream } from "../../support/upstream.ts"
import { NODE_FOLDERS, toNodeSettings } from "./node-settings.ts"

export const SONG = defineModel({
  id: "scenarios/song",
  artifacts: ["audio", "image", "text"],
  parameters: fields({ lyrics: text(1, 1_000) }),
  logged: [],
  estimate: ({ lyrics }) => ({
    characters: lyrics.length,
    images: 1,
    inputVideosMs: [],
    outputAudioMs: 60_000,
    outputVideoMs: 0,
  }),
})

export const SONG_PRICES: PriceBook = [
  { version: "songs-1", models: { [SONG.id]: { perAudioSecondMicros: 1_000 } } },
]

export const SONG_REQUEST = {
  account: "ada",
  model: SONG.id,
  parameters: { lyrics: "a quiet harbour" },
  idempotency: { key: "song", fingerprint: "cd".repeat(32) },
} as const

/** Half a second of 8,000 samples of a byte each a second. */
const SAMPLES = 4_000
export const SONG_MS = 500

/** Of a WAV: told from the task, so that no file is another task's. */
function toSound(task: string): Buffer {
  const head = Buffer.alloc(44)
  head.write("RIFF\0\0\0\0WAVEfmt ", "latin1")
  head.writeUInt32LE(36 + SAMPLES, 4)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8_000, 24)
  head.writeUInt32LE(8_000, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write("data", 36, "latin1")
  head.writeUInt32LE(SAMPLES, 40)
  return Buffer.concat([head, Buffer.alloc(SAMPLES, task)])
}

/** The bytes of each artifact of a task, by key, in the order in which the channel has them. */
export function toSongProducts(task: string): ReadonlyMap<string, Buffer> {
  return new Map([
    ["image_1", Buffer.from(`the cover of ${task}`)],
    ["audio", toSound(task)],
    ["text", Buffer.from(`the words of ${task}: café\n`)],
  ])
}

const TYPES: Readonly<Record<string, string>> = {
  image_1: "image/png",
  audio: "audio/wav",
  text: "text/plain",
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

function toOutputs(task: string): Completed["outputs"] {
  return [...toSongProducts(task)].map(([key, bytes]) => ({
    mimeType: TYPES[key] ?? "",
    open: () => once(bytes),
  }))
}

export interface SongNode extends AsyncDisposable {
  readonly storage: Storage
  readonly artifacts: ArtifactStorage
  readonly engine: Engine
  readonly upstream: Upstream
}

export async function startSongNode(folder: string, probe?: Probe): Promise<SongNode> {
  const storage = await createSqliteStorage({
    folder: join(folder, NODE_FOLDERS.data),
    mode: "serve",
  })
  const artifacts = createFilesystemArtifacts({ folder: join(folder, NODE_FOLDERS.artifacts) })
  const inspector = createMediaInspector()
  const upstream = createUpstream({
    folder: join(folder, NODE_FOLDERS.upstream),
    kind: "keyed",
    models: [SONG.id],
    toOutputs,
  })
  const engine = createEngine({
    storage,
    artifacts,
    inspector,
    channels: [upstream.channel],
    models: [SONG],
    prices: SONG_PRICES,
    settings: toNodeSettings("keyed"),
    ...(probe && { probe }),
  })
  engine.start()
  return {
    storage,
    artifacts,
    engine,
    upstream,
    async [Symbol.asyncDispose]() {
      await engine.stop()
      await inspector.close()
      await storage.close()
    },
  }
}
