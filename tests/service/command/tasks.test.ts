/**
 * The `tasks` commands against a scripted service on a real socket: what they send, what they make
 * of each answer, and what a script can rely on. The service itself is tested elsewhere.
 */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, test, type TestContext } from "node:test"
import { runCommand, temporaryFolder, type CommandEnd } from "./command-process.ts"
import { json, startScripted, type Answer, type Seen } from "./scripted-service.ts"
import { findFreePort } from "../../support/free-port.ts"

const KEY = "sl_live_0123456789_secret"
const ID = "0199-task"

function task(status: string, progress: number, error: unknown = null) {
  return {
    task_id: ID,
    model: "m",
    status,
    progress,
    created_at: 1,
    finished_at: status === "queued" || status === "running" ? 0 : 2,
    error,
    links: { self: `/v1/tasks/${ID}`, artifacts: `/v1/tasks/${ID}/artifacts` },
  }
}

const NOW = { "retry-after": "0" }
const ACCEPTED = json(202, task("queued", 0), { location: `/v1/tasks/${ID}` })
const FAILURE = {
  message: "refused\u001b[31m\n",
  type: "generation_error",
  code: "provider_rejected",
}

const CANCELLED = {
  message: "The task was cancelled.",
  type: "generation_error",
  code: "task_cancelled",
}

function refusal(status: number, code: string): Answer {
  return json(status, { error: { message: "words", type: "api_error", code } }, NOW)
}

function artifactList(...artifacts: readonly (readonly [string, string])[]): Answer {
  return json(200, {
    task_id: ID,
    artifacts: artifacts.map(([key, mimeType]) => ({
      key,
      type: "image",
      mime_type: mimeType,
      content_url: "http://elsewhere.example/content",
      expires_at: 1_800_000_000,
    })),
  })
}

function content(bytes: Buffer, digest?: string): Answer {
  const own = createHash("sha256").update(bytes).digest("base64")
  return (response) => {
    response.setHeader("repr-digest", `sha-512=:AA==:, sha-256=:${digest ?? own}:`)
    response.end(bytes)
  }
}

const drop: Answer = (response) => response.destroy()

interface Run extends CommandEnd {
  readonly folder: string
  readonly requests: readonly Seen[]
}

async function run(
  t: TestContext,
  words: readonly string[],
  answers: readonly Answer[],
  options: { readonly input?: string; readonly folder?: string } = {},
): Promise<Run> {
  const { url, requests } = await startScripted(t, answers)
  const folder = options.folder ?? (await temporaryFolder(t))
  const environment = { SAFELIGHT_API_KEY: KEY }
  const end = await runCommand(["tasks", ...words, "--url", url], {
    ...options,
    folder,
    environment,
  })
  return { ...end, folder, requests }
}

const SUBMIT = ["submit", "--model", "m", "--parameters", '{"n":4.0}']

describe("submit", () => {
  test("it sends the request, as written, and prints the id", async (t) => {
    const { code, stdout, stderr, requests } = await run(t, SUBMIT, [ACCEPTED])
    assert.equal(stdout, `${ID}\n`)
    assert.equal(stderr, "")
    assert.equal(code, 0)
    assert.equal(requests.length, 1)
    assert.equal(requests[0]?.body, '{"model":"m","parameters":{"n":4.0}}')
    assert.equal(requests[0]?.headers.authorization, `Bearer ${KEY}`)
    assert.equal(requests[0]?.headers["content-type"], "application/json")
  })

  test("its labels go with it", async (t) => {
    const labels = ["--label", "project=spring", "--label", "name=a=b, c"]
    const { code, requests } = await run(t, [...SUBMIT, ...labels], [ACCEPTED])
    assert.equal(requests[0]?.headers["safelight-label"], 'project="spring", name="a=b, c"')
    assert.equal(code, 0)
    const wrong = await run(t, [...SUBMIT, "--label", "spring"], [ACCEPTED])
    assert.match(wrong.stderr, /option '--label <key=value>'.*expected key=value/)
    assert.deepEqual([wrong.code, wrong.requests.length], [2, 0])
  })

  test("parameters come from a file or from standard input", async (t) => {
    const folder = await temporaryFolder(t)
    await writeFile(join(folder, "p.json"), '\uFEFF{"a":1}')
    const fromFile = ["submit", "--model", "m", "--parameters", "@p.json"]
    const read = await run(t, fromFile, [ACCEPTED], { folder })
    assert.equal(read.requests[0]?.body, '{"model":"m","parameters":{"a":1}}')
    const fromInput = ["submit", "--model", "m", "--parameters", "-"]
    const piped = await run(t, fromInput, [ACCEPTED], { input: '{"b":2}' })
    assert.equal(piped.requests[0]?.body, '{"model":"m","parameters":{"b":2}}')
  })

  test("--wait asks until the end and honours Retry-After on the way", async (t) => {
    const answers = [
      ACCEPTED,
      json(200, task("queued", 0), NOW),
      json(200, task("running", 40), NOW),
      refusal(503, "service_unavailable"),
      refusal(429, "rate_limit_exceeded"),
      json(200, task("running", 40), NOW),
      json(200, task("succeeded", 100)),
      artifactList(["image_1", "image/png"]),
    ]
    const { code, stdout, stderr, requests } = await run(t, [...SUBMIT, "--wait"], answers)
    assert.equal(stdout, `${ID}\n`)
    const shown = `task ${ID}\nqueued 0%\nrunning 40%\nsucceeded 100%\nsucceeded\n`
    assert.equal(stderr, shown)
    assert.equal(code, 0)
    assert.deepEqual(
      requests.map(({ method }) => method),
      ["POST", "GET", "GET", "GET", "GET", "GET", "GET", "GET"],
    )
  })

  test("--wait --json prints the task with its artifacts", async (t) => {
    const done = json(202, task("succeeded", 100))
    const answers = [done, artifactList(["image_1", "image/png"])]
    const { stdout } = await run(t, [...SUBMIT, "--wait", "--json"], answers)
    const printed = JSON.parse(stdout) as { artifacts: { key: string }[] }
    assert.deepEqual(
      { ...printed, artifacts: undefined },
      {
        ...task("succeeded", 100),
        artifacts: undefined,
      },
    )
    assert.equal(printed.artifacts[0]?.key, "image_1")
  })

  test("a failed task ends with 1 and says why, without steering the terminal", async (t) => {
    const answers = [ACCEPTED, json(200, task("failed", 40, FAILURE))]
    const { code, stdout, stderr } = await run(t, [...SUBMIT, "--wait"], answers)
    assert.equal(code, 1)
    assert.equal(stdout, `${ID}\n`)
    assert.match(stderr, /^failed: refused \[31m \(provider_rejected\)$/m)
  })

  const refusals: readonly (readonly [string, Answer, number, RegExp])[] = [
    ["400", refusal(400, "invalid_value"), 2, /answered 400: words \(invalid_value\)$/],
    ["401", refusal(401, "invalid_api_key"), 2, /answered 401/],
    ["a redirect", json(307, {}, { location: "http://elsewhere.example/" }), 2, /answered 307$/],
  ]
  for (const [name, answer, expected, words] of refusals) {
    test(`${name} ends with ${expected} and is not sent again`, async (t) => {
      const { code, stderr, stdout, requests } = await run(t, [...SUBMIT, "--wait"], [answer])
      assert.equal(code, expected)
      assert.match(stderr.trimEnd(), words)
      assert.equal(stderr.split("\n").length, 2, "more than one line")
      assert.equal(stdout, "")
      assert.equal(requests.length, 1)
    })
  }

  for (const [status, code, expected] of [
    [429, "rate_limit_exceeded", 2],
    [503, "overloaded", 3],
  ] as const) {
    test(`${status} is asked again under the same key, and ends with ${expected}`, async (t) => {
      const { requests, ...end } = await run(t, SUBMIT, [refusal(status, code)])
      assert.equal(end.code, expected)
      assert.match(end.stderr.trimEnd(), new RegExp(`answered ${status}: words \\(${code}\\)$`))
      assert.equal(requests.length, 5)
      assert.equal(new Set(requests.map(({ headers }) => headers["idempotency-key"])).size, 1)
      const accepted = await run(t, SUBMIT, [refusal(status, code), ACCEPTED])
      assert.deepEqual([accepted.code, accepted.stdout], [0, `${ID}\n`])
    })
  }

  const torn: Answer = (response) => {
    response.writeHead(202, { location: `/v1/tasks/${ID}`, "content-length": "900" })
    response.write("{", () => response.destroy())
  }
  const unknown: readonly (readonly [string, Answer, RegExp])[] = [
    [
      "an outcome the service does not know",
      refusal(503, "outcome_unknown"),
      /answered 503: words/,
    ],
    [
      "a fault of the service",
      refusal(500, "internal_error"),
      /answered 500: words \(internal_err/,
    ],
    ["a gateway that gave up", (response) => response.writeHead(504, NOW).end(), /answered 504:/],
    ["a gateway without words", (response) => response.writeHead(503, NOW).end(), /answered 503:/],
    ["a connection that broke off", drop, /can't be reached \(.*\): .*, and it may be billed; /],
    ["an answer that is no task", json(202, { id: 1 }), /not what the task API promises/],
    ["an answer that breaks off", torn, /broke off/],
  ]
  for (const [name, answer, words] of unknown) {
    test(`${name} is asked again under the same key, then ends with 4 and names it`, async (t) => {
      const { code, stderr, stdout, requests } = await run(t, SUBMIT, [answer])
      assert.equal(code, 4)
      assert.match(stderr.trimEnd(), words)
      assert.equal(stderr.split("\n").length, 2, "more than one line")
      assert.equal(stdout, "")
      const keys = requests.map(({ headers }) => String(headers["idempotency-key"]))
      const [key = ""] = keys
      assert.match(key, /^[0-9a-f]{32}$/)
      assert.deepEqual(
        keys,
        Array.from({ length: 5 }, () => key),
      )
      assert.match(stderr, new RegExp(`--idempotency-key ${key} makes no second task\n$`))
    })
  }

  test("a submission whose first answer was lost ends as its repeat does", async (t) => {
    const busy = refusal(409, "idempotency_key_in_use")
    const { code, stdout, requests } = await run(t, SUBMIT, [drop, busy, ACCEPTED])
    assert.deepEqual([code, stdout, requests.length], [0, `${ID}\n`, 3])
    assert.equal(new Set(requests.map(({ body }) => body)).size, 1)
  })

  test("a refusal of the repeat does not settle what became of the first", async (t) => {
    const { code, stderr } = await run(t, SUBMIT, [drop, refusal(401, "api_key_revoked")])
    assert.equal(code, 4)
    assert.match(stderr, /answered 401: .*whether a task was created is unknown.*--idempotency-key/)
  })

  test("--idempotency-key is sent as it is typed, and a wrong one is refused", async (t) => {
    const typed = await run(t, [...SUBMIT, "--idempotency-key", "order-7"], [ACCEPTED])
    assert.equal(typed.requests[0]?.headers["idempotency-key"], "order-7")
    const wrong = await run(t, [...SUBMIT, "--idempotency-key", "a b"], [ACCEPTED])
    assert.match(wrong.stderr, /'--idempotency-key <key>'.*1 to 255 printable ASCII/)
    assert.deepEqual([wrong.code, wrong.requests], [2, []])
  })

  const DIGEST = `sha-256=:${createHash("sha256").digest("base64")}:`
  /** Headers and a first piece, then nothing more. */
  const stall: Answer = (response) => {
    response.writeHead(200, { "content-type": "application/json", "repr-digest": DIGEST })
    response.write("{")
  }
  const stalling: readonly (readonly [string, readonly string[], readonly Answer[], number])[] = [
    ["of a submission", SUBMIT, [stall], 4],
    ["of a task", ["get", ID], [stall], 3],
    ["of a refusal", ["get", ID], [(response) => response.writeHead(404).write("{")], 2],
    [
      "of a file",
      ["artifacts", ID, "--output", "."],
      [artifactList(["image_1", "image/png"]), stall],
      3,
    ],
  ]
  for (const [name, words, answers, expected] of stalling) {
    test(`the body ${name} that stalls is given up after the time-out`, async (t) => {
      const { code } = await run(t, [...words, "--timeout", "20s"], answers)
      assert.equal(code, expected)
    })
  }

  test("the service's address may stand in SAFELIGHT_URL, and --url wins over it", async (t) => {
    const { url } = await startScripted(t, [json(200, task("queued", 0))])
    const folder = await temporaryFolder(t)
    const get = (environment: Readonly<Record<string, string>>, ...more: readonly string[]) =>
      runCommand(["tasks", "get", ID, "--key", KEY, ...more], { folder, environment })
    assert.equal((await get({ SAFELIGHT_URL: url })).code, 0)
    assert.equal((await get({ SAFELIGHT_URL: "ftp://x" }, "--url", url)).code, 0)
    const mistyped = await get({ SAFELIGHT_ULR: url })
    assert.equal(mistyped.stderr, "safelight: SAFELIGHT_ULR: no variable of this name is known\n")
    assert.equal(mistyped.code, 2)
    assert.match(
      (await get({ SAFELIGHT_URL: "ftp://x" })).stderr,
      /^safelight: SAFELIGHT_URL: expected an http or https address/,
    )
  })

  const mistakes: readonly (readonly [string, readonly string[], RegExp])[] = [
    ["no JSON", ["--parameters", "{a}"], /--parameters: the argument is not JSON/],
    ["a missing file", ["--parameters", "@no.json"], /no\.json can't be read \(ENOENT\)/],
    ["no model", ["--parameters", "{}"], /required option '--model/],
    ["no address", ["--parameters", "{}", "--model", "m", "--url", "ftp://x"], /--url: expected/],
    [
      "an odd key",
      ["--parameters", "{}", "--model", "m", "--key", "a b"],
      /--key: expected an API key/,
    ],
  ]
  for (const [name, words, expected] of mistakes) {
    test(`${name} ends with 2 before anything is sent`, async (t) => {
      const folder = await temporaryFolder(t)
      const model = name === "no model" || words.includes("--model") ? [] : ["--model", "m"]
      const environment = { SAFELIGHT_API_KEY: KEY }
      const all = ["tasks", "submit", ...model, ...words]
      const { code, stderr } = await runCommand(all, { folder, environment })
      assert.equal(code, 2)
      assert.match(stderr, expected)
    })
  }

  test("an id of dots ends with 2 before anything is sent", async (t) => {
    for (const words of [
      ["tasks", "get", ".."],
      ["tasks", "artifacts", "."],
      ["usage", ".."],
      ["links", "create", ID, ".."],
    ]) {
      const folder = await temporaryFolder(t)
      const environment = { SAFELIGHT_API_KEY: KEY }
      const { code, stderr } = await runCommand(words, { folder, environment })
      assert.match(stderr, /'\.\.?' is invalid for argument/)
      assert.equal(code, 2)
    }
  })

  test("without a key it asks for one", async (t) => {
    const folder = await temporaryFolder(t)
    const { code, stderr } = await runCommand(["tasks", "get", ID], { folder })
    assert.match(stderr, /set SAFELIGHT_API_KEY or give --key/)
    assert.equal(code, 2)
  })

  test("a service that is not there ends with 3: nothing was sent", async (t) => {
    const { url } = await startScripted(t, [drop])
    const port = await findFreePort()
    const folder = await temporaryFolder(t)
    const words = ["tasks", ...SUBMIT, "--url", url.replace(/\d+$/, String(port)), "--key", KEY]
    const { code, stderr } = await runCommand(words, { folder })
    assert.match(stderr, /can't be reached \(ECONNREFUSED\)/)
    assert.equal(code, 3)
  })
})

describe("downloads", () => {
  const PNG = Buffer.from("not really a picture")
  const DONE = json(202, task("succeeded", 100))

  test("every artifact is saved under the task and its key", async (t) => {
    const listed = artifactList(["image_1", "image/png"], ["image_2", "image/jpeg"])
    const answers = [DONE, listed, content(PNG), content(Buffer.alloc(300_000, 7))]
    const { code, stdout, folder, requests } = await run(t, [...SUBMIT, "--output", "out"], answers)
    assert.equal(code, 0)
    const names = [`${ID}-image_1.png`, `${ID}-image_2.jpg`]
    assert.equal(stdout, names.map((name) => `${join("out", name)}\n`).join(""))
    assert.deepEqual((await readdir(join(folder, "out"))).toSorted(), names)
    assert.deepEqual(await readFile(join(folder, "out", names[0] ?? "")), PNG)
    assert.equal((await readFile(join(folder, "out", names[1] ?? ""))).length, 300_000)
    assert.equal(requests[2]?.url, `/v1/tasks/${ID}/artifacts/image_1/content`)
  })

  test("the key goes to the given address alone, whatever content_url says", async (t) => {
    const answers = [artifactList(["image_1", "image/png"]), content(PNG)]
    const { code, requests } = await run(t, ["artifacts", ID, "--output", "."], answers)
    assert.equal(code, 0)
    assert.equal(requests[1]?.headers.authorization, `Bearer ${KEY}`)
  })

  test("a name from outside can't leave the folder", async (t) => {
    const answers = [artifactList(["../../evil", "image/../x"]), content(PNG)]
    const { code, folder } = await run(t, ["artifacts", "../x", "--output", "out"], answers)
    assert.equal(code, 0)
    assert.deepEqual(await readdir(join(folder, "out")), ["_x-_evil.bin"])
  })

  const broken: readonly (readonly [string, Answer, number, RegExp])[] = [
    [
      "bytes that differ from their digest",
      content(PNG, createHash("sha256").digest("base64")),
      5,
      /^safelight: image_1 was not saved: .* not those its digest names$/m,
    ],
    [
      "no digest",
      (response) => response.end(PNG),
      5,
      /^safelight: image_1 was not saved: .* without a SHA-256 digest$/m,
    ],
    [
      "a transfer that breaks off",
      (response) => {
        const digest = createHash("sha256").digest("base64")
        response.writeHead(200, { "content-length": "900", "repr-digest": `sha-256=:${digest}:` })
        response.write("abc", () => response.destroy())
      },
      3,
      /broke off/,
    ],
    ["an expired artifact", refusal(410, "artifact_expired"), 2, /artifact_expired/],
  ]
  for (const [name, answer, expected, words] of broken) {
    test(`${name} ends with ${expected} and leaves no file`, async (t) => {
      const answers = [DONE, artifactList(["image_1", "image/png"]), answer]
      const { code, folder, stderr } = await run(t, [...SUBMIT, "--output", "out"], answers)
      assert.equal(code, expected)
      assert.match(stderr, words)
      await mkdir(join(folder, "out"), { recursive: true })
      assert.deepEqual(await readdir(join(folder, "out")), [])
    })
  }

  test("a folder that can't be made ends with 2", async (t) => {
    const folder = await temporaryFolder(t)
    await writeFile(join(folder, "file"), "")
    const answers = [artifactList(["image_1", "image/png"]), content(PNG)]
    const words = ["artifacts", ID, "--output", "file/out"]
    const { code, stderr } = await run(t, words, answers, { folder })
    assert.match(stderr, /can't be written \(ENOTDIR\)/)
    assert.equal(code, 2)
  })
})

describe("get and artifacts", () => {
  test("get prints a line for people, or the service's own JSON", async (t) => {
    const running = json(200, task("running", 30))
    const line = await run(t, ["get", ID], [running])
    assert.equal(line.stdout, `${ID}  running  30%  m\n`)
    assert.equal(line.code, 0)
    const raw = await run(t, ["get", ID, "--json"], [running])
    assert.deepEqual(JSON.parse(raw.stdout), task("running", 30))
  })

  test("get of a failed task ends with 1", async (t) => {
    const { code, stdout } = await run(t, ["get", ID], [json(200, task("failed", 0, FAILURE))])
    assert.equal(code, 1)
    assert.match(stdout, /^failed: refused/m)
  })

  for (const [name, { outcome, charge, task: shown }, words, expected] of [
    [
      "a task that is stopped",
      { outcome: "stopped", charge: 0, task: task("failed", 40, CANCELLED) },
      "cancelled: its provider has stopped the work; it cost 0 micro-units (0.000000)",
      0,
    ],
    [
      "a task that goes on",
      { outcome: "unknown", charge: null, task: task("running", 40) },
      "not cancelled: its provider can't stop the work, or does not tell; it costs at most 500 micro-units (0.000500)",
      1,
    ],
    [
      "a task that had succeeded",
      { outcome: "too_late", charge: 400, task: task("succeeded", 100) },
      "too late: it had ended; it cost 400 micro-units (0.000400)",
      1,
    ],
  ] as const) {
    test(`cancel of ${name} says so and ends with ${expected}`, async (t) => {
      const body = { outcome, charge_micros: charge, charge_limit_micros: 500, task: shown }
      const { code, stdout, requests } = await run(t, ["cancel", ID], [json(200, body)])
      assert.equal(stdout, `${ID}  ${shown.status}  ${shown.progress}%  m\n${words}\n`)
      assert.equal(code, expected)
      assert.deepEqual(
        requests.map(({ method, url }) => [method, url]),
        [["POST", `/v1/tasks/${ID}/cancel`]],
      )
      const asJson = await run(t, ["cancel", ID, "--json"], [json(200, body)])
      assert.deepEqual(JSON.parse(asJson.stdout), body)
    })
  }

  test("hold keeps artifacts until a moment and prints until when they are kept", async (t) => {
    const listed = artifactList(["image_1", "image/png"], ["image_2", "image/jpeg"])
    for (const until of ["2027-01-15T08:00:00Z", "1800000000"]) {
      const { code, stderr, stdout, requests } = await run(
        t,
        ["hold", ID, "--until", until],
        [listed],
      )
      const kept = "until 2027-01-15T08:00:00.000Z"
      assert.equal(stdout, `image_1  image/png  ${kept}\nimage_2  image/jpeg  ${kept}\n`)
      assert.deepEqual([code, stderr], [0, ""])
      assert.deepEqual(
        requests.map(({ body, headers, method, url }) => [
          method,
          url,
          body,
          headers.authorization,
        ]),
        [["POST", `/v1/tasks/${ID}/hold?until=1800000000`, "", `Bearer ${KEY}`]],
      )
    }
    const words = ["hold", ID, "--until", "2027-02", "--json"]
    const { stdout, requests } = await run(t, words, [listed])
    const { artifacts, task_id: id } = JSON.parse(stdout) as {
      artifacts: object[]
      task_id: string
    }
    assert.deepEqual([id, artifacts.length], [ID, 2])
    assert.equal(requests[0]?.url, `/v1/tasks/${ID}/hold?until=1801440000`)
  })

  test("hold is asked again while the service is away: twice is the same as once", async (t) => {
    const listed = artifactList(["image_1", "image/png"])
    const answers = [drop, refusal(503, "service_unavailable"), listed]
    const { code, requests } = await run(t, ["hold", ID, "--until", "1800000000"], answers)
    assert.deepEqual([code, requests.length], [0, 3])
  })

  for (const [status, error] of [
    [403, "hold_not_allowed"],
    [409, "task_not_finished"],
    [409, "task_failed"],
    [410, "artifact_expired"],
    [400, "integer_above_max_value"],
    [404, "task_not_found"],
  ] as const) {
    test(`hold that is refused as ${error} says so and ends with 2`, async (t) => {
      const answers = [refusal(status, error)]
      const { code, stderr, stdout } = await run(t, ["hold", ID, "--until", "1800000000"], answers)
      assert.deepEqual([code, stdout], [2, ""])
      assert.match(stderr, new RegExp(`^safelight: .*${error}`))
    })
  }

  test("hold without a moment, or with none that can be, sends nothing and ends with 2", async (t) => {
    for (const words of [
      ["hold", ID],
      ["hold", ID, "--until", "soon"],
      ["hold", ID, "--until", "-1"],
    ]) {
      const { code, stderr, requests } = await run(t, words, [])
      assert.deepEqual([code, requests.length], [2, 0])
      assert.match(stderr, /--until/)
    }
  })

  test("list asks for what it is told and prints a line a task", async (t) => {
    const page = json(200, {
      tasks: [task("running", 30), task("failed", 0, FAILURE)],
      next_cursor: null,
    })
    const { code, stdout, stderr, requests } = await run(t, ["list"], [page])
    const created = "1970-01-01T00:00:01.000Z"
    assert.equal(stdout, `${ID}  running  30%  m  ${created}\n${ID}  failed  0%  m  ${created}\n`)
    assert.deepEqual([code, stderr], [0, ""])
    assert.equal(requests[0]?.url, "/v1/tasks")
    const words = ["--created-after", "5", "--created-before", "9", "--status", "failed"]
    const labels = ["--label", "k=a b", "--label", "l="]
    const more = ["--model", "a/b", ...labels, "--limit", "7", "--cursor", "x=="]
    const asked = await run(t, ["list", ...words, ...more], [page])
    assert.equal(
      asked.requests[0]?.url,
      "/v1/tasks?created_after=5&created_before=9&status=failed&model=a%2Fb&label=k%3Da+b&label=l%3D&limit=7&cursor=x%3D%3D",
    )
  })

  test("list says where it goes on, or prints the service's own JSON", async (t) => {
    const body = { tasks: [], next_cursor: "abc" }
    const line = await run(t, ["list"], [json(200, body)])
    assert.deepEqual([line.code, line.stdout], [0, ""])
    assert.equal(line.stderr, "there is more: --cursor abc\n")
    const raw = await run(t, ["list", "--json"], [json(200, body)])
    assert.deepEqual(JSON.parse(raw.stdout), body)
    assert.equal(raw.stderr, "")
  })

  test("a list that is refused ends with 2, one that is no list with 3", async (t) => {
    const refused = await run(
      t,
      ["list", "--limit", "0"],
      [refusal(400, "integer_below_min_value")],
    )
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, /integer_below_min_value/)
    assert.equal((await run(t, ["list"], [json(200, { tasks: {} })])).code, 3)
  })

  test("an unknown task ends with 2", async (t) => {
    const { code, requests } = await run(t, ["get", "a/b"], [refusal(404, "task_not_found")])
    assert.equal(code, 2)
    assert.equal(requests[0]?.url, "/v1/tasks/a%2Fb")
  })

  test("a service that stays away is asked a few times, then it ends with 3", async (t) => {
    const { code, requests } = await run(t, ["get", ID], [refusal(503, "service_unavailable")])
    assert.equal(code, 3)
    assert.equal(requests.length, 5)
  })

  test("artifacts lists what there is and until when", async (t) => {
    const listed = artifactList(["image_1", "image/png"])
    const { stdout } = await run(t, ["artifacts", ID], [listed])
    assert.equal(stdout, "image_1  image/png  until 2027-01-15T08:00:00.000Z\n")
    const { stdout: raw } = await run(t, ["artifacts", ID, "--json"], [listed])
    assert.equal((JSON.parse(raw) as { task_id: string }).task_id, ID)
  })
})
