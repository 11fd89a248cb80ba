/**
 * What a scrape says of HTTP traffic, and who may ask. The text is held to its format by a strict
 * reader at every scrape; numbers are compared with what the test itself sent and received.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { serveMetrics } from "safelight"
import { putArtifact, taskId, toTask } from "../../adapters/http/fake-service.ts"
import { createRawClient } from "../../support/raw-client.ts"
import { until } from "../../support/until.ts"
import { CREATION, createMetricsWorld, type MetricsWorld } from "./metrics-world.ts"
import { parsePrometheusText, readSample } from "./prometheus-text.ts"

const SECONDS = "safelight_http_request_duration_seconds"
const BYTES = "safelight_http_sent_bytes_total"
const SILENT_LOG = { info() {}, warn() {}, error() {} }

async function count(world: MetricsWorld, labels: Record<string, string>) {
  return readSample(await world.read(), `${SECONDS}_count`, labels)
}

async function raw(url: string, bytes: string): Promise<string> {
  const client = createRawClient(url)
  client.send(bytes)
  return client.ended()
}

describe("the reader of these tests", () => {
  const counter = "# HELP a_total A.\n# TYPE a_total counter\n"
  const histogram = "# HELP h H.\n# TYPE h histogram\n"
  for (const [fault, text] of [
    ["a line without an end", `${counter}a_total 1`],
    ["a sample before its family", "a_total 1\n"],
    ["a family in two places", `${counter}a_total 1\n${counter}a_total{b="c"} 1\n`],
    ["a series twice", `${counter}a_total{b="c",d="e"} 1\na_total{d="e",b="c"} 1\n`],
    ["a label twice", `${counter}a_total{b="c",b="d"} 1\n`],
    ["a quote that is not escaped", `${counter}a_total{b="c"d"} 1\n`],
    ["a number that is none", `${counter}a_total Nan\n`],
    ["a sample of another family", `${counter}b_total 1\n`],
    ["a counter by another name", "# HELP a A.\n# TYPE a counter\na 1\n"],
    [
      "buckets that fall",
      `${histogram}h_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n`,
    ],
    ["a histogram without its last bucket", `${histogram}h_bucket{le="1"} 1\nh_sum 1\nh_count 1\n`],
  ] as const) {
    it(`refuses ${fault}`, () => {
      assert.throws(() => parsePrometheusText(text))
    })
  }

  it("takes what is right", () => {
    const right = 'a_total{b="c\\"\\n"} 1\na_total{b="d"} 2e3\n'
    const families = parsePrometheusText(`${counter}${right}`)
    assert.equal(readSample(families, "a_total", { b: 'c"\n' }), 1)
    assert.equal(readSample(families, "a_total", { b: "d" }), 2_000)
    const buckets = 'h_bucket{le="1"} 1\nh_bucket{le="+Inf"} 2\nh_sum 9\nh_count 2\n'
    assert.equal(readSample(parsePrometheusText(histogram + buckets), "h_count"), 2)
  })
})

describe("a scrape", () => {
  it("is the text format, with numbers of the process among it", async () => {
    await using world = await createMetricsWorld()
    const response = await fetch(`${world.url}/metrics`)
    assert.equal(response.status, 200)
    assert.match(response.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4;/)
    assert.equal(response.headers.get("cache-control"), "no-store")
    assert.match(response.headers.get("x-request-id") ?? "", /^req_/)
    const families = parsePrometheusText(await response.text())
    for (const name of ["process_resident_memory_bytes", "nodejs_eventloop_lag_seconds"]) {
      assert.ok((readSample(families, name) ?? -1) >= 0, name)
    }
  })

  it("counts requests by route, method and class of status", async () => {
    await using world = await createMetricsWorld()
    const { task_id: id } = (await (await world.call("/v1/tasks", CREATION)).json()) as {
      task_id: string
    }
    await world.call("/v1/tasks", { ...CREATION, body: "{" })
    for (let round = 0; round < 3; round += 1) {
      await world.call(`/v1/tasks/${id}`)
    }
    await world.call(`/v1/tasks/${id}`, { method: "HEAD" })
    await world.call(`/v1/tasks/${taskId(9)}`)
    await fetch(`${world.url}/v1/tasks/${id}`)
    await world.call(`/v1/tasks/${id}`, { method: "PUT" })
    await fetch(`${world.url}/nowhere`)
    const task = "/v1/tasks/:task"
    for (const [labels, expected] of [
      [{ route: "/v1/tasks", method: "POST", status: "2xx" }, 1],
      [{ route: "/v1/tasks", method: "POST", status: "4xx" }, 1],
      [{ route: task, method: "GET", status: "2xx" }, 3],
      [{ route: task, method: "HEAD", status: "2xx" }, 1],
      [{ route: task, method: "GET", status: "4xx" }, 2],
      [{ route: task, method: "PUT", status: "4xx" }, 1],
      [{ route: "none", method: "GET", status: "4xx" }, 1],
      [{ route: task, method: "GET", status: "5xx" }, undefined],
    ] as const) {
      assert.equal(await count(world, labels), expected, JSON.stringify(labels))
    }
  })

  it("counts what failed, by the status that was answered", async () => {
    await using world = await createMetricsWorld()
    world.fake.fail(new Error("a bug"))
    await world.call(`/v1/tasks/${taskId(1)}`)
    const labels = { route: "/v1/tasks/:task", method: "GET", status: "5xx" }
    assert.equal(await count(world, labels), 1)
  })

  it("counts the bytes of answers as they were received, artifacts and refusals too", async () => {
    await using world = await createMetricsWorld()
    const task = putArtifact(world.fake, new Uint8Array(300_000).fill(7))
    const content = `/v1/tasks/${task.id}/artifacts/image_1/content`
    const received = new Map<string, number>()
    for (const [route, path, init] of [
      ["/v1/tasks/:task", `/v1/tasks/${task.id}`, {}],
      ["/v1/tasks/:task", `/v1/tasks/${taskId(9)}`, {}],
      ["/v1/tasks/:task", `/v1/tasks/${task.id}`, { method: "HEAD" }],
      ["/v1/tasks/:task/artifacts/:key/content", content, {}],
      ["/v1/tasks/:task/artifacts/:key/content", content, { headers: { range: "bytes=5-9" } }],
      ["/v1/tasks/:task/artifacts/:key/content", content, { method: "HEAD" }],
      ["/docs", "/docs", { headers: { "accept-encoding": "identity" } }],
      ["none", "/é", {}],
    ] as const) {
      const { length } = await (await world.call(path, init)).bytes()
      received.set(route, (received.get(route) ?? 0) + length)
    }
    assert.ok((received.get("/v1/tasks/:task/artifacts/:key/content") ?? 0) === 300_005)
    const families = await world.read()
    for (const [route, bytes] of received) {
      assert.equal(readSample(families, BYTES, { route }), bytes, route)
    }
  })

  it("measures a request until its answer is there, by the monotonic clock", async () => {
    await using world = await createMetricsWorld()
    world.fake.put(toTask(taskId(1)))
    const { findTask } = world.fake.service
    Object.assign(world.fake.service, {
      async findTask(request: Parameters<typeof findTask>[0]) {
        await world.clock.advance(1_500)
        return findTask(request)
      },
    })
    assert.equal((await world.call(`/v1/tasks/${taskId(1)}`)).status, 200)
    const labels = { route: "/v1/tasks/:task" }
    const families = await world.read()
    assert.equal(readSample(families, `${SECONDS}_sum`, labels), 1.5)
    assert.equal(readSample(families, `${SECONDS}_bucket`, { ...labels, le: "1" }), 0)
    assert.equal(readSample(families, `${SECONDS}_bucket`, { ...labels, le: "2.5" }), 1)
  })

  it("counts what never reached the handler: broken, too long, CONNECT", async () => {
    await using world = await createMetricsWorld()
    const { url } = world
    assert.match(await raw(url, "G@T / HTTP/1.1\r\nHost: a\r\n\r\n"), /^HTTP\/1\.1 400 /)
    assert.match(await raw(url, "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"), /^HTTP\/1\.1 404 /)
    const headers = "Host: a\r\nConnection: close\r\n"
    assert.match(await raw(url, `GET /?${"x".repeat(9_000)} HTTP/1.1\r\n${headers}\r\n`), / 414 /)
    assert.match(await raw(url, `GET / HTTP/1.1\r\n${headers}Host: b\r\n\r\n`), / 400 /)
    assert.equal(await count(world, { route: "none", method: "other", status: "4xx" }), 2)
    assert.equal(await count(world, { route: "none", method: "GET", status: "4xx" }), 2)
  })

  it("shares one reading among those who ask at once", async () => {
    await using world = await createMetricsWorld()
    const [one, other] = await Promise.all([world.metrics.scrape(), world.metrics.scrape()])
    assert.equal(one, other)
    assert.notEqual(one, await world.metrics.scrape())
  })
})

describe("labels", () => {
  it("hold nothing that a caller wrote, and are few", async () => {
    await using world = await createMetricsWorld()
    const { url, key } = world
    const written = ["secret-word", key, "v1.abcdefgh.1.0.mac", taskId(1), "account-a"]
    putArtifact(world.fake, new Uint8Array(10))
    for (const word of written) {
      const lines = [
        `GET /${word} HTTP/1.1`,
        `GET /v1/tasks/${word} HTTP/1.1`,
        `GET /v1/tasks/${word}/artifacts/${word}/content?access=${word} HTTP/1.1`,
        `GET /docs/${word} HTTP/1.1`,
        `DELETE /v1/tasks/${word}/artifacts/${word}/links HTTP/1.1`,
        `PROPFIND /${word} HTTP/1.1`,
        `${word} / HTTP/1.1`,
      ]
      for (const line of lines) {
        const headers = `Host: a\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n`
        assert.match(await raw(url, `${line}\r\n${headers}\r\n`), /^HTTP\/1\.1 \d{3} /)
      }
    }
    const odd = new Request(`${url}/v1/tasks`, { method: "ODDMETHOD" })
    await world.handler.fetch(odd)
    const { text } = await world.metrics.scrape()
    for (const word of [...written, "ODDMETHOD", "PROPFIND"]) assert.ok(!text.includes(word), word)
    const samples = parsePrometheusText(text).get(SECONDS)?.samples ?? []
    const series = samples.filter(({ name }) => name === `${SECONDS}_count`)
    assert.deepEqual([...new Set(series.map(({ labels }) => labels["route"] ?? ""))].toSorted(), [
      "/docs/:file",
      "/v1/tasks",
      "/v1/tasks/:task",
      "/v1/tasks/:task/artifacts/:key/content",
      "/v1/tasks/:task/artifacts/:key/links",
      "none",
    ])
    assert.ok(series.length < 20, String(series.length))
  })
})

describe("/metrics", () => {
  it("is the same 404 as any unknown path where nobody asked for it", async () => {
    await using world = await createMetricsWorld({ servesMetrics: false })
    for (const method of ["GET", "HEAD", "POST", "OPTIONS"]) {
      const answers = ["/metrics", "/nowhere"].map(async (path) => {
        const response = await fetch(`${world.url}${path}`, { method })
        const own = ["x-request-id", "date"]
        const headers = [...response.headers].filter(([name]) => !own.includes(name))
        return { status: response.status, headers, body: await response.text() }
      })
      const [metrics, unknown] = await Promise.all(answers)
      assert.equal(metrics?.status, 404)
      assert.deepEqual(metrics, unknown)
    }
  })

  it("takes the methods that the rest of the API takes for reading", async () => {
    await using world = await createMetricsWorld()
    const head = await fetch(`${world.url}/metrics`, { method: "HEAD" })
    assert.equal(head.status, 200)
    assert.ok(Number(head.headers.get("content-length")) > 1_000)
    assert.equal(await head.text(), "")
    const options = await fetch(`${world.url}/metrics`, { method: "OPTIONS" })
    assert.deepEqual([options.status, options.headers.get("allow")], [204, "GET, HEAD, OPTIONS"])
    const post = await fetch(`${world.url}/metrics`, { method: "POST", body: "x" })
    assert.deepEqual([post.status, post.headers.get("allow")], [405, "GET, HEAD, OPTIONS"])
    const { error } = (await post.json()) as { error: { code: string } }
    assert.equal(error.code, "method_not_allowed")
  })

  it("has a listener of its own that knows nothing else", async () => {
    await using world = await createMetricsWorld({ servesMetrics: false })
    const { metrics, clock } = world
    const where = { host: "127.0.0.1", port: 0 }
    const server = await serveMetrics({ metrics, clock, log: SILENT_LOG, ...where })
    await fetch(`${world.url}/healthz`)
    const response = await fetch(`${server.url}/metrics`)
    const families = parsePrometheusText(await response.text())
    assert.equal(readSample(families, `${SECONDS}_count`, { route: "/healthz" }), 1)
    for (const path of ["/", "/v1/tasks", "/healthz", "/docs"]) {
      assert.equal((await fetch(`${server.url}${path}`)).status, 404, path)
    }
    await server.close({ graceMs: 0 })
  })
})

describe("the log of requests", () => {
  it("has one line a request: what was asked, what was answered, by whom", async () => {
    await using world = await createMetricsWorld()
    const task = world.fake.put(toTask(taskId(1)))
    const response = await world.call(`/v1/tasks/${task.id}`)
    const { length } = await response.bytes()
    assert.deepEqual(world.lines, [
      {
        level: "info",
        message: "request",
        fields: {
          requestId: response.headers.get("x-request-id"),
          method: "GET",
          route: "/v1/tasks/:task",
          status: 200,
          durationMs: 0,
          sentBytes: length,
          account: "account-a",
          keyId: world.key.split("_")[2]?.slice(0, 10),
          task: task.id,
        },
      },
    ])
  })

  it("ties a submission's request to the task it made", async () => {
    await using world = await createMetricsWorld()
    const response = await world.call("/v1/tasks", CREATION)
    const { task_id: task } = (await response.json()) as { task_id: string }
    const [line] = world.lines
    const requestId = response.headers.get("x-request-id")
    assert.deepEqual([line?.fields["requestId"], line?.fields["task"]], [requestId, task])
  })

  it("names the account of one who is refused by its rate, and nobody where no key was good", async () => {
    await using world = await createMetricsWorld()
    const rates = { create: null, read: { requests: 1, windowMs: 60_000 }, content: null }
    world.accounts.set({ rates })
    await world.call("/v1/tasks")
    await world.call("/v1/tasks")
    await fetch(`${world.url}/v1/tasks`)
    const told = world.lines.map(({ fields }) => [fields["status"], fields["account"]])
    assert.deepEqual(told, [
      [200, "account-a"],
      [429, "account-a"],
      [401, undefined],
    ])
  })

  it("warns of what the outside failed and calls a bug an error", async () => {
    await using world = await createMetricsWorld({ checkReady: () => Promise.reject(new Error()) })
    world.fake.fail(new Error("a bug"))
    await world.call(`/v1/tasks/${taskId(1)}`)
    world.fake.fail(undefined)
    putArtifact(world.fake, new Uint8Array(10))
    world.fake.reader.totalBytes = 11
    await world.call(`/v1/tasks/${taskId(1)}/artifacts/image_1/content`)
    const told = world.lines.map(({ level, fields }) => [level, fields["status"]])
    assert.deepEqual(told, [
      ["error", 500],
      ["warn", 503],
    ])
  })

  it("is silent about probes and scrapes", async () => {
    await using world = await createMetricsWorld({ checkReady: () => Promise.reject(new Error()) })
    for (const path of ["/healthz", "/readyz", "/metrics"]) {
      await fetch(`${world.url}${path}`)
    }
    assert.deepEqual(world.lines, [])
  })

  it("says of a download how much of it went out, and that it broke off", async () => {
    await using world = await createMetricsWorld()
    const bytes = 8 * 1024 * 1024
    const task = putArtifact(world.fake, new Uint8Array(bytes))
    const path = `/v1/tasks/${task.id}/artifacts/image_1/content`
    await (await world.call(path)).bytes()
    await (await world.call(path, { headers: { range: "bytes=0-9" } })).bytes()
    let reads = 0
    world.fake.reader.beforeRead = () => {
      reads += 1
      if (reads > 3) throw new Error("the disk is gone")
    }
    await assert.rejects(async () => (await world.call(path)).bytes())
    await until(() => world.lines.length === 3)
    const [whole, part, broken] = world.lines.map(({ fields }) => fields)
    assert.deepEqual([whole?.["sentBytes"], whole?.["isComplete"]], [bytes, undefined])
    assert.deepEqual([part?.["status"], part?.["sentBytes"]], [206, 10])
    assert.deepEqual([broken?.["status"], broken?.["isComplete"]], [200, false])
    const sent = Number(broken?.["sentBytes"])
    assert.ok(sent > 0 && sent < bytes, String(sent))
  })

  it("holds neither key, query nor path as they were sent", async () => {
    await using world = await createMetricsWorld()
    for (const path of ["/v1/tasks/secret-id", "/v1/tasks?access=secret-token", "/secret-path"]) {
      await world.call(path)
    }
    const text = JSON.stringify(world.lines)
    assert.equal(world.lines.length, 3)
    for (const word of ["secret", world.key]) assert.ok(!text.includes(word), text)
  })
})
