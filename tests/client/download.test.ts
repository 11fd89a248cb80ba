/**
 * Downloads against servers that cut, lie and never end, on real sockets where the connection matters.
 * Whatever happens, what is handed out as whole are the artifact's bytes.
 */
import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { createClient, type DownloadProgress, type TaskArtifact } from "@safelight/client"
import { serve } from "../support/misbehaving-server.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import {
  createScriptedClient,
  createTestClock,
  cut,
  describeBytes,
  ID,
  json,
  KEY,
  page,
  refusal,
  toDigest,
  type Answer,
  type TestClock,
  fails,
} from "./scripted-client.ts"

const BYTES = randomBytes(300_000)
const PATH = `/v1/tasks/${ID}/artifacts/video/content`

interface Served {
  readonly artifact: TaskArtifact
  readonly asked: IncomingHttpHeaders[]
  readonly clock: TestClock
}

/** How far into the rest each answer gets before its connection ends; the last one gets to the end. */
async function serveCut(
  t: TestContext,
  lengths: readonly number[],
  bytes = BYTES,
): Promise<Served> {
  const asked: IncomingHttpHeaders[] = []
  const headers = describeBytes(bytes)
  function answer({ headers: sent, url }: IncomingMessage, response: ServerResponse): void {
    assert.equal(url, PATH)
    asked.push(sent)
    const start = Number(/^bytes=(\d+)-$/.exec(sent.range ?? "")?.[1] ?? 0)
    const rest = bytes.subarray(start)
    const isPart = sent.range !== undefined && sent["if-range"] === headers["etag"]
    response.writeHead(isPart ? 206 : 200, {
      ...headers,
      "content-length": rest.length,
      ...(isPart && { "content-range": `bytes ${start}-${bytes.length - 1}/${bytes.length}` }),
    })
    const length = lengths[asked.length - 1]
    if (length === undefined) response.end(rest)
    else response.write(rest.subarray(0, length), () => response.destroy())
  }
  const { origin } = await serve(t, answer)
  const clock = createTestClock()
  const client = createClient({ url: origin, key: KEY, clock, random: () => 0 })
  return { artifact: client.artifact(ID, "video"), asked, clock }
}

/** What each scripted answer gives of the artifact. */
function whole(bytes: Uint8Array, headers: Record<string, string> = {}): Answer {
  const all = { ...describeBytes(bytes), ...headers }
  return () => new Response(bytes as Uint8Array<ArrayBuffer>, { headers: all })
}

function part(bytes: Uint8Array, start: number, headers: Record<string, string> = {}): Answer {
  const all = {
    ...describeBytes(bytes),
    "content-length": String(bytes.length - start),
    "content-range": `bytes ${start}-${bytes.length - 1}/${bytes.length}`,
    ...headers,
  }
  const rest = bytes.slice(start)
  return () => new Response(rest, { status: 206, headers: all })
}

async function read(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of stream) pieces.push(piece)
  return Buffer.concat(pieces)
}

describe("a download", () => {
  it("sends the key and asks for no coding", async (t) => {
    const { artifact, asked } = await serveCut(t, [])
    const blob = await artifact.blob()
    assert.equal(blob.type, "image/png")
    assert.deepEqual(Buffer.from(await blob.arrayBuffer()), BYTES)
    assert.equal(asked[0]?.authorization, `Bearer ${KEY}`)
    assert.equal(asked[0]?.["accept-encoding"], "identity")
    assert.equal(asked[0]?.range, undefined)
  })

  it("goes on where it was cut, however often, and tells how far it is", async (t) => {
    const { artifact, asked, clock } = await serveCut(t, [100_000, 0, 50_000, 1])
    const told: DownloadProgress[] = []
    const stream = await artifact.stream({ onProgress: (progress) => told.push(progress) })
    assert.deepEqual(await read(stream), BYTES)
    const { etag } = describeBytes(BYTES)
    assert.deepEqual(
      asked.slice(1).map(({ range, "if-range": ifRange }) => [range, ifRange]),
      [
        ["bytes=100000-", etag],
        ["bytes=100000-", etag],
        ["bytes=150000-", etag],
        ["bytes=150001-", etag],
      ],
    )
    assert.deepEqual(clock.pausesMs, [250, 500, 1_000, 2_000])
    assert.deepEqual(told.at(-1), { receivedBytes: BYTES.length, totalBytes: BYTES.length })
    const received = told.map(({ receivedBytes }) => receivedBytes)
    assert.deepEqual(
      received,
      received.toSorted((a, b) => a - b),
    )
  })

  it("of much more than is cut at a time never runs out of tries", async (t) => {
    const bytes = randomBytes(9 * 2 ** 20)
    const { artifact, asked } = await serveCut(
      t,
      Array.from({ length: 8 }, () => 2 ** 20 + 1),
      bytes,
    )
    assert.deepEqual(await read(await artifact.stream()), bytes)
    assert.equal(asked.length, 9)
  })

  it("is given up after five cuts that brought little", async (t) => {
    const { artifact, asked } = await serveCut(
      t,
      Array.from({ length: 20 }, () => 1_000),
    )
    assert.equal((await fails(artifact.blob())).code, "incomplete_answer")
    assert.equal(asked.length, 5)
  })

  it("is asked for again while the service is away, before and after a cut", async () => {
    const away = [page(502), refusal(503, "storage_unavailable", { "retry-after": "3" })]
    const answers = [...away, cut(whole(BYTES), 10), ...away, part(BYTES, 10)]
    const { client, clock } = createScriptedClient(answers)
    const blob = await client.artifact(ID, "video").blob()
    assert.deepEqual(Buffer.from(await blob.arrayBuffer()), BYTES)
    assert.deepEqual(clock.pausesMs, [250, 3_000, 250, 250, 3_000])
  })

  it("is whole if its connection fails behind its last byte", async () => {
    const { client, requests } = createScriptedClient([cut(whole(BYTES), BYTES.length)])
    const blob = await client.artifact(ID, "video").blob()
    assert.deepEqual(Buffer.from(await blob.arrayBuffer()), BYTES)
    assert.equal(requests.length, 1)
  })

  it("takes the whole again, where a proxy knows no ranges", async () => {
    const answers = [cut(whole(BYTES), 10), cut(whole(BYTES), 1_000), whole(BYTES)]
    const { client } = createScriptedClient(answers)
    const blob = await client.artifact(ID, "video").blob()
    assert.deepEqual(Buffer.from(await blob.arrayBuffer()), BYTES)
  })

  it("goes on after silence in its middle", async () => {
    const clock = createTestClock()
    const stalled: Answer = () => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(BYTES.subarray(0, 10)),
      })
      return new Response(body, { headers: describeBytes(BYTES) })
    }
    const { client } = createScriptedClient([stalled, part(BYTES, 10)], { clock })
    const stream = await client.artifact(ID, "video").stream()
    const reader = stream.getReader()
    assert.equal((await reader.read()).value?.length, 10)
    const next = reader.read()
    await clock.endSilence()
    assert.deepEqual(Buffer.from((await next).value ?? []), BYTES.subarray(10))
    assert.equal((await reader.read()).done, true)
  })

  const refused: readonly (readonly [name: string, answer: Answer, code: string])[] = [
    ["an expired artifact", refusal(410, "artifact_expired"), "artifact_expired"],
    ["no such artifact", refusal(404, "artifact_not_found"), "artifact_not_found"],
    [
      "an unfinished task",
      refusal(409, "task_not_finished", { "retry-after": "2" }),
      "task_not_finished",
    ],
    ["a redirect", json(302, {}, { location: "/" }), "invalid_answer"],
    ["a part that nobody asked for", part(BYTES, 0), "invalid_answer"],
    ["no digest", whole(BYTES, { "repr-digest": "" }), "digest_mismatch"],
    ["a digest of another kind", whole(BYTES, { "repr-digest": "md5=:AAAA:" }), "digest_mismatch"],
    ["more than is taken", whole(BYTES, { "content-length": "9999999999999" }), "invalid_answer"],
  ]
  for (const [name, answer, code] of refused) {
    it(`of ${name} is refused at once`, async () => {
      const { client, requests } = createScriptedClient([answer])
      const error = await fails(client.artifact(ID, "video").stream())
      assert.equal(error.code, code)
      assert.equal(requests.length, 1)
    })
  }

  const other = randomBytes(BYTES.length)
  const changed: readonly (readonly [name: string, answer: Answer, code: string])[] = [
    ["the rest of another artifact", part(other, 10), "invalid_answer"],
    ["another artifact", whole(other), "invalid_answer"],
    ["another range", part(BYTES, 11), "invalid_answer"],
    [
      "a range that ends early",
      part(BYTES, 10, {
        "content-range": `bytes 10-99/${BYTES.length}`,
      }),
      "invalid_answer",
    ],
    [
      "a range of another length",
      part(BYTES, 10, {
        "content-range": `bytes 10-${BYTES.length - 1}/${BYTES.length + 1}`,
      }),
      "invalid_answer",
    ],
    ["no range", part(BYTES, 10, { "content-range": "" }), "invalid_answer"],
    ["no entity tag", part(BYTES, 10, { etag: "" }), "invalid_answer"],
    ["an artifact that expired meanwhile", refusal(410, "artifact_expired"), "artifact_expired"],
    ["a proxy's page", page(200), "invalid_answer"],
  ]
  for (const [name, answer, code] of changed) {
    it(`that was cut does not go on with ${name}`, async () => {
      const { client, requests } = createScriptedClient([cut(whole(BYTES), 10), answer])
      assert.equal((await fails(client.artifact(ID, "video").blob())).code, code)
      assert.equal(requests.length, 2)
    })
  }

  it("without a strong entity tag does not go on", async () => {
    for (const etag of ["", 'W/"a"']) {
      const answers = [cut(whole(BYTES, { etag }), 10), part(BYTES, 10)]
      const { client, requests } = createScriptedClient(answers)
      assert.equal((await fails(client.artifact(ID, "video").blob())).code, "incomplete_answer")
      assert.equal(requests.length, 1)
    }
  })

  it("with a byte changed fails at its end", async () => {
    const wrong = Buffer.from(BYTES)
    wrong[wrong.length - 1]! ^= 1
    const { client } = createScriptedClient([whole(wrong, { "repr-digest": toDigest(BYTES) })])
    const reader = (await client.artifact(ID, "video").stream()).getReader()
    const readAll = async (): Promise<void> => {
      while (!(await reader.read()).done);
    }
    assert.equal((await fails(readAll())).code, "digest_mismatch")
  })

  it("has the right digest at every length", async () => {
    for (let length = 0; length <= 200; length += 1) {
      const bytes = randomBytes(length)
      const cuts = length > 3 ? [cut(whole(bytes), length >> 1), part(bytes, length >> 1)] : []
      const { client } = createScriptedClient(cuts.length > 0 ? cuts : [whole(bytes)])
      const blob = await client.artifact(ID, "video").blob()
      assert.deepEqual(Buffer.from(await blob.arrayBuffer()), bytes)
    }
  })

  it("without an end is left: behind its length, or behind the bound if it has none", async () => {
    for (const headers of [{}, { "content-length": "", "content-encoding": "x" }]) {
      let pulled = 0
      let isCancelled = false
      const endless: Answer = () => {
        const body = new ReadableStream<Uint8Array>(
          {
            pull(controller) {
              pulled += 1
              controller.enqueue(new Uint8Array(100_000))
            },
            cancel() {
              isCancelled = true
            },
          },
          { highWaterMark: 0 },
        )
        return new Response(body, { headers: { ...describeBytes(BYTES), ...headers } })
      }
      const settings = { artifactBytes: 500_000 }
      const { client } = createScriptedClient([endless], { settings })
      assert.equal((await fails(client.artifact(ID, "video").blob())).code, "invalid_answer")
      assert.ok(pulled <= 7, `${pulled} pieces were read`)
      assert.ok(isCancelled, "the connection was kept")
    }
  })

  it("of an unknown length is taken to its end and checked", async () => {
    const { client } = createScriptedClient([whole(BYTES, { "content-length": "" })])
    const told: DownloadProgress[] = []
    const onProgress = (progress: DownloadProgress): unknown => told.push(progress)
    const blob = await client
      .artifact(ID, "video")
      .blob({ onProgress: (each) => void onProgress(each) })
    assert.equal(blob.size, BYTES.length)
    assert.deepEqual(told.at(-1), { receivedBytes: BYTES.length, totalBytes: undefined })
  })

  it("reads nothing ahead of its reader, and ends its connection when it is cancelled", async () => {
    let pulled = 0
    let isCancelled = false
    const slow: Answer = () => {
      const body = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            pulled += 1
            controller.enqueue(BYTES.subarray(0, 1_000))
          },
          cancel() {
            isCancelled = true
          },
        },
        { highWaterMark: 0 },
      )
      return new Response(body, { headers: describeBytes(BYTES) })
    }
    for (const pieces of [0, 2]) {
      pulled = 0
      isCancelled = false
      const { client, requests } = createScriptedClient([slow])
      const stream = await client.artifact(ID, "video").stream()
      const reader = stream.getReader()
      for (let index = 0; index < pieces; index += 1) await reader.read()
      assert.equal(pulled, pieces)
      await reader.cancel()
      assert.ok(isCancelled)
      assert.ok(requests[0]?.signal.aborted)
    }
  })
})

describe("a file", () => {
  it("is whole after cuts, in folders that are made for it, and replaces what was there", async (t) => {
    await using folder = await createTemporaryFolder()
    const path = join(folder.path, "a/b/waves.mp4")
    await mkdir(join(folder.path, "a/b"), { recursive: true })
    await writeFile(path, "older")
    const { artifact } = await serveCut(t, [1_000, 200_000])
    await artifact.saveTo(path)
    assert.deepEqual(await readFile(path), BYTES)
    const second = await serveCut(t, [])
    await second.artifact.saveTo(join(folder.path, "c/d/waves.mp4"))
    assert.deepEqual(
      await readdir(folder.path, { recursive: true }),
      ["a", "c", "a/b", "a/b/waves.mp4", "c/d", "c/d/waves.mp4"].toSorted(
        (one, other) => one.length - other.length || (one < other ? -1 : 1),
      ),
    )
  })

  it("stays as it was, with nothing beside it, if the bytes are wrong or cease", async () => {
    const failures: readonly (readonly [readonly Answer[], string])[] = [
      [[whole(BYTES, { "repr-digest": toDigest(Buffer.of(1)) })], "digest_mismatch"],
      [[cut(whole(BYTES), 10), refusal(410, "artifact_expired")], "artifact_expired"],
      [[refusal(404, "artifact_not_found")], "artifact_not_found"],
      [[cut(whole(BYTES, { etag: "" }), 10)], "incomplete_answer"],
    ]
    for (const [answers, code] of failures) {
      await using folder = await createTemporaryFolder()
      const path = join(folder.path, "waves.mp4")
      await writeFile(path, "older")
      const { client } = createScriptedClient(answers)
      assert.equal((await fails(client.artifact(ID, "video").saveTo(path))).code, code)
      assert.equal(await readFile(path, "utf8"), "older")
      assert.deepEqual(await readdir(folder.path), ["waves.mp4"])
    }
  })

  it("that can't be written fails as the file system says, and ends the download", async () => {
    await using folder = await createTemporaryFolder()
    await writeFile(join(folder.path, "file"), "")
    const { client, requests } = createScriptedClient([whole(BYTES)])
    const artifact = client.artifact(ID, "video")
    await assert.rejects(artifact.saveTo(join(folder.path, "file/waves.mp4")), {
      code: /ENOTDIR|EEXIST/,
    })
    await assert.rejects(artifact.saveTo(folder.path), { code: /EISDIR|EPERM|ENOTEMPTY|EEXIST/ })
    assert.ok(requests.every(({ signal }) => signal.aborted))
    assert.deepEqual(await readdir(folder.path), ["file"])
  })
})

describe("a private link", () => {
  it("is asked for without a body, again while the service is away", async () => {
    const link = { url: "https://service.example/link", expires_at: 1_800_000_000 }
    const { client, requests } = createScriptedClient([page(502), json(201, link)])
    const url = await client.artifact(ID, "video").url({ expiresInSeconds: 60 })
    assert.equal(url, link.url)
    assert.deepEqual(await client.artifact(ID, "video").link(), link)
    const [first, second] = requests
    assert.equal(
      `${second?.method} ${second?.target}`,
      `POST /v1/tasks/${ID}/artifacts/video/links?expires_in=60`,
    )
    assert.deepEqual([first?.body, second?.body], [undefined, undefined])
  })

  it("to each artifact of a task is asked for by one request", async () => {
    const link = { url: "https://service.example/link", expires_at: 1_800_000_000 }
    const links = [{ key: "video", type: "video", mime_type: "video/mp4", ...link }]
    const half = { task_id: ID, links: [link] }
    const { client, requests } = createScriptedClient([
      page(502),
      json(201, half),
      json(201, { task_id: ID, links }),
    ])
    assert.deepEqual(await client.links(ID, { expiresInSeconds: 60 }), links)
    const target = `POST /v1/tasks/${ID}/links?expires_in=60`
    const asked = requests.map(({ body, method, target: path }) => [`${method} ${path}`, body])
    assert.deepEqual(
      asked,
      [1, 2, 3].map(() => [target, undefined]),
    )
  })
})
