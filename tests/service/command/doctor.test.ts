/** `safelight doctor` on a folder: each fault is made for real, told in words, and nothing is left behind. */
import assert from "node:assert/strict"
import { chown, mkdir, readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, test } from "node:test"
import { STUBS } from "@safelight/testkit/stubs"
import { BUCKET, CREDENTIALS, serveBucket } from "../../adapters/artifacts-s3/bucket-server.ts"
import { findFreePort } from "../../support/free-port.ts"
import { serve, serveRaw, serveSecurely } from "../../support/misbehaving-server.ts"
import { createSelfSignedCertificate } from "../../support/self-signed-certificate.ts"
import { mountSmallDisk } from "../../faults/small-disk.ts"
import { BIN, runCommand, startService } from "./command-process.ts"
import { createDoctorWorld, SECRET, startReceiver, toDiagnosis } from "./doctor-world.ts"

test("a first start: all is well but the way out, and nothing is made", async (t) => {
  const { diagnose, folder } = await createDoctorWorld(t)
  const port = String(await findFreePort())
  const { code, findings, of } = await diagnose(["--port", port])
  assert.deepEqual(
    findings.map(({ check }) => check),
    [
      "configuration",
      "node",
      "memory",
      "open files",
      "clock",
      "disk",
      "database",
      "artifacts",
      "address",
      "names",
      "public URL",
      "way out",
      "channel studio",
      "models",
    ],
  )
  assert.deepEqual(of("database"), [
    `ok: none yet: the first start makes ${join(folder, "data/safelight.db")}`,
  ])
  assert.deepEqual(of("address"), [`ok: 127.0.0.1 port ${port}, by IPv4`])
  assert.deepEqual(of("channel studio"), ["ok: it needs no key"])
  assert.equal(code, 0)
  assert.deepEqual(await readdir(folder), [])
})

test("beside a running service: it is found ready, and its folder stays as it is", async (t) => {
  const { diagnose, folder } = await createDoctorWorld(t)
  const { url } = await startService(folder)
  const list = async () => (await readdir(join(folder, "data"), { recursive: true })).toSorted()
  const before = await list()
  const { port } = new URL(url)
  const { code, of } = await diagnose(["--port", port, "--public-url", url])
  assert.deepEqual(of("address"), [`ok: a service listens on 127.0.0.1 port ${port}, and is ready`])
  assert.deepEqual(of("public URL"), [`ok: ${url} answers, and is ready`])
  assert.match(of("database").join(), /^ok: \S+safelight\.db, [\d.]+ \w+, schema \d+$/)
  assert.deepEqual(of("artifacts"), [`ok: ${join(folder, "data/artifacts")}: a byte came back`])
  // Of data and artifacts, which are on one disk.
  assert.match(of("disk").join(), /^\w+: (only )?[\d.]+ \w+ (are )?free for \S+data$/)
  assert.equal(code, 0)
  const tidy = (names: readonly string[]) => names.filter((name) => !name.startsWith("artifacts/"))
  const after = await list()
  assert.deepEqual(tidy(after), tidy(before))
  const isFile = (name: string) => /[0-9a-f]{8}-[0-9a-f]{4}/.test(name)
  assert.deepEqual(after.filter(isFile), before.filter(isFile))
})

test("in words, each finding is a line with what to do", async (t) => {
  const { folder } = await createDoctorWorld(t)
  const words = ["doctor", "--timeout", "2m", "--reach", "http://127.0.0.1:50000", "--port", "0"]
  const { code, stderr, stdout } = await runCommand(words, { folder })
  const lines = stdout.trimEnd().split("\n")
  assert.equal(lines[0], "ok       configuration: no file: flags, variables and defaults")
  assert.match(
    lines[11] ?? "",
    /^warning {2}way out: http:\/\/127\.0\.0\.1:50000 leads to .+ -> open /,
  )
  for (const line of lines) assert.match(line, /^(ok {5}|warning|fault {2}) {2}[\w ]+: \S/)
  assert.deepEqual([code, stderr, lines.length], [0, "", 14])
})

test("the key that signs the log, and each place for copies of its checkpoints", async (t) => {
  const { diagnose, folder, write } = await createDoctorWorld(t)
  const made = await runCommand(["audit", "keys", "create", "media.example/log"], { folder })
  assert.equal(made.code, 0, made.stderr)
  const environment = { SAFELIGHT_SIGNING_KEY_FILE: "safelight-signing.key" }
  const ask = async (...copies: readonly string[]) => {
    await write("safelight.config.json", { checkpoints: { copies } })
    return (await diagnose(["--port", "0"], { environment })).of("signing")
  }
  assert.deepEqual((await diagnose(["--port", "0"])).of("signing"), [])
  assert.match(
    (await ask()).join(),
    /^warning: media\.example\/log has no copies, so that a database/,
  )
  const { origin } = await serve(t, () => assert.fail("nothing is sent"))
  assert.deepEqual(await ask("kept.jsonl", origin), ["ok: media.example/log, copies: 2"])
  await write("kept.jsonl", "no checkpoint\n")
  assert.deepEqual(await ask("kept.jsonl", "none/kept.jsonl"), [
    `fault: ${join(folder, "kept.jsonl")} holds no checkpoint`,
    `fault: ${join(folder, "none/kept.jsonl")} can't be written by this user`,
  ])
  const bucket = "s3://log?endpoint=http://127.0.0.1:1&region=us-east-1"
  const keys = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: SECRET }
  await write("safelight.config.json", { checkpoints: { copies: [bucket] } })
  const unreached = await diagnose(["--port", "0"], { environment: { ...environment, ...keys } })
  assert.match(unreached.of("signing").join(), /^fault: The bucket failed: listing objects/)
  assert.equal(unreached.code, 1)
})

test("what webhooks should reach must be an address", async (t) => {
  const { folder } = await createDoctorWorld(t)
  for (const reach of ["example.com", "ftp://example.com/", "https://"]) {
    const { code, stderr, stdout } = await runCommand(["doctor", "--reach", reach], { folder })
    assert.match(
      stderr,
      /'--reach <url>' .* is invalid\. expected a URL as in https:\/\/example\.com\/\n$/,
    )
    assert.deepEqual([code, stdout], [2, ""])
  }
})

describe("a wrong configuration", () => {
  test("is told with all its faults at once, and the machine is looked at all the same", async (t) => {
    const { diagnose, write } = await createDoctorWorld(t)
    await write("safelight.config.json", { port: -1, prot: 1, channels: [{ type: 7 }] })
    const environment = { SAFELIGHT_ROLE: "boss", SAFELIGHT_LOGLEVEL: "info", SAFELIGHT_PORT: "x" }
    const { code, findings, of } = await diagnose([], { environment })
    assert.deepEqual(of("configuration").toSorted(), [
      "fault: SAFELIGHT_LOGLEVEL: no variable of this name is known",
      "fault: SAFELIGHT_PORT: expected a whole number from 0 to 65535",
      'fault: SAFELIGHT_ROLE: expected one of "all", "api", "worker"',
      "fault: safelight.config.json: channels[0].type: expected a type, such as fal or studio",
      "fault: safelight.config.json: port: expected a whole number from 0 to 65535",
      'fault: safelight.config.json: unknown field "prot"',
    ])
    assert.equal(code, 2)
    assert.deepEqual(
      findings.slice(6).map(({ check }) => check),
      ["node", "memory", "open files", "clock"],
    )
  })

  test("names each broken file of a model", async (t) => {
    const { diagnose, folder, write } = await createDoctorWorld(t)
    await write("one.json", "{")
    await write("two.json", { id: 3 })
    await write("safelight.config.json", { models: ["./one.json", "./two.json"] })
    const { code, of } = await diagnose()
    const [one = "", two = "", ...others] = of("configuration")
    assert.ok(one.startsWith(`fault: models: module ${join(folder, "one.json")} `), one)
    assert.ok(two.startsWith(`fault: models: module ${join(folder, "two.json")} `), two)
    assert.deepEqual([code, others], [2, []])
  })

  test("that is not one by one, but together, is told too", async (t) => {
    const { diagnose } = await createDoctorWorld(t)
    const { code, of } = await diagnose(["--role", "worker"])
    assert.deepEqual(of("configuration"), [
      'fault: role: "worker" needs PostgreSQL; --database names it',
    ])
    assert.equal(code, 2)
  })
})

describe("the database of a folder", () => {
  async function createServed(t: Parameters<typeof createDoctorWorld>[0]) {
    const world = await createDoctorWorld(t)
    const { folder } = world
    const { code } = await runCommand(["keys", "create", "--account", "ada"], { folder })
    assert.equal(code, 0)
    return { ...world, file: join(folder, "data/safelight.db") }
  }

  test("that another program has locked", async (t) => {
    const { diagnose, file } = await createServed(t)
    const other = new DatabaseSync(file)
    other.exec("begin immediate; update compatibility set id = 1")
    const { code, of } = await diagnose()
    other.close()
    assert.deepEqual(of("database"), [
      `fault: another process holds the lock for writing of ${file}`,
    ])
    assert.equal(code, 1)
  })

  test("that is damaged", async (t) => {
    const { diagnose, file } = await createServed(t)
    await writeFile(file, "no database".repeat(999))
    const { code, of } = await diagnose()
    assert.match(of("database").join(), /^fault: the database file is damaged, can't be read or is/)
    assert.equal(code, 1)
  })

  test("of an older release is told and not migrated, of a newer one is a fault", async (t) => {
    const { diagnose, file } = await createServed(t)
    const change = (set: string): void => {
      const other = new DatabaseSync(file)
      other.exec(`update compatibility set ${set}`)
      other.close()
    }
    change("schema_version = 2")
    const older = await diagnose()
    assert.match(older.of("database").join(), /^warning: it has schema 2, and this release works/)
    assert.equal(older.code, 0)
    const other = new DatabaseSync(file, { readOnly: true })
    const row = other.prepare("select schema_version as version from compatibility").get()
    other.close()
    assert.deepEqual({ ...row }, { version: 2 })
    change("schema_version = 999, oldest_code_version = 999")
    const newer = await diagnose()
    assert.match(newer.of("database").join(), /^fault: the database has schema 999 and needs/)
    assert.equal(newer.code, 1)
  })
})

describe("the machine", () => {
  const isRoot = process.getuid?.() === 0
  const isLinux = process.platform === "linux"

  test("a folder that can't be written", { skip: !isLinux && "setpriv is Linux's" }, async (t) => {
    const { folder } = await createDoctorWorld(t)
    await mkdir(join(folder, "data"), { mode: 0o555 })
    const words = ["doctor", "--json", "--timeout", "2m", "--reach", "http://127.0.0.1:50000"]
    // A root that may not write everything is as good as anybody.
    const bin = "--bounding-set=-dac_override,-dac_read_search"
    const end = isRoot
      ? await runCommand([process.execPath, BIN, ...words], { folder, node: "setpriv", bin })
      : await runCommand(words, { folder, isOwnProcess: true })
    const { code, of } = toDiagnosis(end)
    const path = join(folder, "data")
    assert.deepEqual(of("database"), [`fault: ${path} can't be written by this user`])
    assert.deepEqual(of("artifacts"), [
      `fault: ${path} can't be written, where ${join(path, "artifacts")} belongs`,
    ])
    assert.equal(code, 1)
  })

  test(
    "folders of another user, in which root would leave its own",
    { skip: !isRoot && "only root may give a folder away" },
    async (t) => {
      const { diagnose, folder } = await createDoctorWorld(t)
      const artifacts = join(folder, "data/artifacts")
      await mkdir(artifacts, { recursive: true })
      await chown(artifacts, 65_532, 65_532)
      const { code, findings, of } = await diagnose(["--port", "0"])
      assert.deepEqual(await readdir(artifacts), [])
      assert.deepEqual(of("artifacts"), [
        `warning: ${artifacts} belongs to user 65532, and this command runs as 0`,
      ])
      const { advice } = findings.find(({ check }) => check === "artifacts") ?? {}
      assert.equal(advice, "run it as the user of the service (`sudo -u`)")
      assert.equal(code, 0)
    },
  )

  test("a small disk", async (t) => {
    const { diagnose, folder } = await createDoctorWorld(t)
    await mkdir(join(folder, "data"))
    await using disk = await mountSmallDisk(join(folder, "data"))
    if (disk === undefined) return t.skip("this process may not mount a small disk")
    await disk.fill()
    const { code, of } = await diagnose()
    assert.deepEqual(of("disk"), [`fault: only 0 B are free for ${join(folder, "data")}`])
    assert.equal(code, 1)
  })

  test("few open files", { skip: !isLinux && "the limit is known on Linux alone" }, async (t) => {
    const { folder, write } = await createDoctorWorld(t)
    const script = await write("limited.sh", `ulimit -n "$1"; shift; exec "$@"`)
    const words = ["doctor", "--json", "--timeout", "2m", "--reach", "http://127.0.0.1:50000"]
    for (const [limit, says] of [
      [100, "fault: only 100 files may be open at once, and a service needs 128"],
      [300, "warning: 300 files may be open at once"],
    ] as const) {
      const end = await runCommand([String(limit), process.execPath, BIN, ...words], {
        folder,
        node: "/bin/sh",
        bin: script,
      })
      assert.deepEqual(toDiagnosis(end).of("open files"), [says])
    }
  })

  test("artifacts where a file is", async (t) => {
    const { diagnose, write } = await createDoctorWorld(t)
    const place = join(await write("file", "x"), "artifacts")
    const { code, of } = await diagnose(["--artifacts", place])
    assert.match(
      of("artifacts").join(),
      /^fault: .*file can't be written, where .*artifacts belongs$/,
    )
    assert.equal(code, 1)
  })

  test("a rule of the bucket's lifecycle that removes artifacts", async (t) => {
    const { diagnose } = await createDoctorWorld(t)
    const bucket = await serveBucket(t)
    bucket.act = ({ query, response, serve: answer }) => {
      if (!query.has("lifecycle")) return answer()
      const rule =
        "<ID>tidy &amp; thrifty</ID><Status>Enabled</Status><Expiration><Days>30</Days></Expiration>"
      response.end(`<LifecycleConfiguration><Rule>${rule}</Rule></LifecycleConfiguration>`)
    }
    const environment = {
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      AWS_SESSION_TOKEN: CREDENTIALS.sessionToken,
    }
    const place = `s3://${BUCKET}/some?endpoint=${bucket.origin}`
    const { code, of } = await diagnose(["--artifacts", place], { environment })
    assert.deepEqual(of("artifacts"), [
      'warning: the rule "tidy & thrifty" of the bucket\'s lifecycle removes artifacts',
    ])
    assert.equal(code, 0)
  })
})

describe("addresses", () => {
  test("a port where another program listens, in HTTP or not", async (t) => {
    const { diagnose } = await createDoctorWorld(t)
    const web = await serve(t, (_, response) => void response.end("hello"))
    const raw = await serveRaw(t, (socket) => void socket.end("220 mail\r\n"))
    const first = await diagnose(["--port", String(web.port)])
    assert.deepEqual(first.of("address"), [
      `fault: another program answers on 127.0.0.1 port ${web.port} (200)`,
    ])
    const second = await diagnose(["--port", String(raw.port)])
    assert.match(
      second.of("address").join(),
      /^fault: another program is on 127\.0\.0\.1 port \d+ \(/,
    )
    assert.deepEqual([first.code, second.code], [1, 1])
  })

  test("an address that is not this machine's, and every address of it", async (t) => {
    const { diagnose } = await createDoctorWorld(t)
    const foreign = await diagnose(["--host", "192.0.2.1"])
    assert.deepEqual(foreign.of("address"), [
      "fault: nothing can listen on 192.0.2.1 (EADDRNOTAVAIL)",
    ])
    const all = await diagnose(["--host", "0.0.0.0", "--port", "0"])
    assert.deepEqual(all.of("address"), ["ok: 0.0.0.0 port 0, by IPv4"])
    assert.deepEqual(all.of("public URL"), [
      "warning: none, so that content_url names this machine",
    ])
  })

  test("a service that is not ready", async (t) => {
    const { diagnose } = await createDoctorWorld(t)
    const { origin, port } = await serve(t, (_, response) => {
      response.writeHead(503, { "content-type": "application/json" })
      response.end(JSON.stringify({ error: { code: "service_unavailable" } }))
    })
    const { code, of } = await diagnose(["--port", String(port), "--public-url", origin])
    assert.deepEqual(of("address"), [
      `fault: a service listens on 127.0.0.1 port ${port}, and is not ready`,
    ])
    assert.deepEqual(of("public URL"), [`fault: ${origin} answers, and is not ready`])
    assert.equal(code, 1)
  })

  test("a public URL that leads elsewhere, nowhere, or to a certificate that nobody trusts", async (t) => {
    const { diagnose, folder } = await createDoctorWorld(t)
    const { url } = await startService(folder)
    const serving = ["--port", new URL(url).port, "--public-url"]
    const other = await serve(t, (_, response) => void response.writeHead(404).end())
    const elsewhere = await diagnose([...serving, other.origin])
    assert.deepEqual(elsewhere.of("public URL"), [
      `fault: ${other.origin}/readyz answers 404, which is not this service`,
    ])
    const nowhere = await diagnose([...serving, "http://127.0.0.1:1"])
    assert.match(
      nowhere.of("public URL").join(),
      /^warning: http:\/\/127\.0\.0\.1:1 can't be reached/,
    )
    const without = await diagnose(["--port", "0", "--public-url", other.origin])
    assert.match(without.of("public URL").join(), /^warning: .* answers 404/)
    const secure = await serveSecurely(t, createSelfSignedCertificate("localhost"), (_, response) =>
      response.end(),
    )
    const untrusted = await diagnose([...serving, `https://localhost:${secure.port}`])
    assert.match(
      untrusted.of("public URL").join(),
      /^fault: https:\/\/localhost:\d+ has a certificate that clients refuse \(\w*SELF_SIGNED\w*\)$/,
    )
    assert.deepEqual([elsewhere.code, nowhere.code, without.code, untrusted.code], [1, 0, 0, 1])
  })

  test("a name that leads nowhere, and http in the open", async (t) => {
    const { diagnose } = await createDoctorWorld(t)
    const { code, of } = await diagnose(["--public-url", "http://media.invalid"])
    assert.match(of("names").join(), /^fault: media\.invalid leads nowhere \(E\w+\)$/)
    const [open, gone] = of("public URL")
    assert.equal(open, "warning: it is http, so keys and prompts travel in clear")
    assert.match(
      gone ?? "",
      /^warning: http:\/\/media\.invalid can't be reached from here \(E\w+\)$/,
    )
    assert.equal(code, 1)
  })
})

describe("ready, for a supervisor", () => {
  test("0 beside a service that is, 1 where nothing or something else answers", async (t) => {
    const { folder } = await createDoctorWorld(t)
    const { url } = await startService(folder)
    const { port } = new URL(url)
    const environment = { SAFELIGHT_PORT: port, SAFELIGHT_HOST: "0.0.0.0" }
    const ready = await runCommand(["ready"], { folder, environment })
    assert.deepEqual([ready.code, ready.stdout, ready.stderr], [0, "ready\n", ""])
    const gone = await runCommand(["ready", "--port", String(await findFreePort())], { folder })
    assert.match(
      gone.stderr,
      /^safelight: 127\.0\.0\.1 port \d+ does not answer \(ECONNREFUSED\)\n$/,
    )
    const other = await serve(t, (_, response) => void response.end('{"status":"ok"}'))
    const wrong = await runCommand(["ready", "--port", String(other.port)], { folder })
    assert.match(wrong.stderr, / is no service of ours\n$/)
    const unready = await serve(t, (_, response) => {
      response.writeHead(503).end('{"error":{"code":"service_unavailable"}}')
    })
    const waiting = await runCommand(["ready", "--port", String(unready.port)], { folder })
    assert.match(waiting.stderr, / is not ready\n$/)
    assert.deepEqual([gone.code, wrong.code, waiting.code], [1, 1, 1])
  })
})

describe("the way out", () => {
  test("private networks are refused unless they are allowed, which is told", async (t) => {
    const { diagnose, write } = await createDoctorWorld(t)
    const origin = await startReceiver(t)
    const refused = await diagnose(["--reach", origin])
    assert.match(refused.of("way out").join(), /^warning: http:\S+ leads to no public address, or/)
    await write("safelight.config.json", { webhooks: { allowedAddresses: ["127.0.0.0/8"] } })
    const allowed = await diagnose(["--reach", origin])
    assert.deepEqual(allowed.of("way out"), [
      "warning: webhooks.allowedAddresses lets every account reach 127.0.0.1",
    ])
    const closed = await diagnose(["--reach", `http://127.0.0.1:${await findFreePort()}`])
    assert.match(
      closed.of("way out").join("; "),
      /; warning: http:\S+ can't be reached, so webhooks/,
    )
  })
})

describe("channels and models", () => {
  test("a wrong key, an empty one, a closed port, and a file that is gone", async (t) => {
    const { diagnose, folder, write } = await createDoctorWorld(t)
    await using stub = (await STUBS["fal"]?.()) ?? assert.fail()
    const fal = { type: "fal", baseUrl: stub.url }
    const channels = [
      { ...fal, name: "good" },
      { ...fal, name: "refused", keyVariable: "BAD_KEY" },
      { ...fal, name: "empty", keyVariable: "NO_KEY" },
      { ...fal, name: "away", baseUrl: "http://127.0.0.1:1" },
      { ...fal, name: "gone", keyVariable: "GONE_KEY" },
    ]
    await write("safelight.config.json", { channels })
    const environment = { FAL_KEY: SECRET, BAD_KEY: "invalid", GONE_KEY_FILE: "recognise-me" }
    const { code, of } = await diagnose([], { environment })
    assert.deepEqual(of("channel good"), ["ok: it takes the key"])
    assert.deepEqual(of("channel refused"), ["fault: it refuses the key (401)"])
    assert.deepEqual(of("channel empty"), ["fault: NO_KEY is empty"])
    assert.deepEqual(of("channel away"), ["fault: away can't be reached (ECONNREFUSED)"])
    assert.deepEqual(of("channel gone"), [
      `fault: GONE_KEY_FILE: ${join(folder, "recognise-me")}: there is no such file`,
    ])
    assert.equal(code, 1)
    assert.deepEqual(stub.purchases, [])
  })

  test("a provider that never answers is given up, and hides no other check", async (t) => {
    const { diagnose, write } = await createDoctorWorld(t)
    const silent = await serve(t, () => {})
    const hanging = { type: "fal", baseUrl: silent.origin }
    await write("safelight.config.json", { channels: [hanging, { type: "studio" }] })
    const { code, of } = await diagnose(["--timeout", "1s"], { environment: { FAL_KEY: SECRET } })
    assert.deepEqual(of("channel fal"), ["fault: it had not ended after 1s"])
    assert.deepEqual(of("channel studio"), ["ok: it needs no key"])
    assert.equal(code, 1)
  })

  test("a model that no channel makes", async (t) => {
    const { diagnose, write } = await createDoctorWorld(t)
    const channels = [
      { type: "studio" },
      { type: "fal", models: ["vendor-a/v4.1/flash/text-to-image"] },
    ]
    await write("safelight.config.json", { channels: channels.slice(1) })
    const { code, of } = await diagnose([], { environment: { FAL_KEY: "" } })
    assert.equal(of("models").length, 3)
    for (const line of of("models")) assert.match(line, /^warning: \S+: no channel of this/)
    assert.equal(code, 1)
  })
})
