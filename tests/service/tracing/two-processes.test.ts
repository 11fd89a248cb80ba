/**
 * An api and a worker as processes of their own, each with an SDK that its operator has loaded: one trace
 * leads from the client's own span to the stored artifact, and the log lines of both name it.
 */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, test } from "node:test"
import { pathToFileURL } from "node:url"
import { parseKey } from "../command/command-process.ts"
import { post, reach, type Client } from "../client.ts"
import { createPostgresWorld } from "../postgres/postgres-world.ts"
import type { RecordedSpan } from "../../support/recorded-spans.ts"

const SDK = pathToFileURL(join(import.meta.dirname, "file-exporter.ts")).href
const README = join(import.meta.dirname, "../../../adapters/tracing-opentelemetry/README.md")
const TRACE = "0af7651916cd43dd8448eb211c80319c"
const SPAN = "b7ad6b7169203331"
const PROMPT = "a prompt that nobody else may read"

describe("an api and a worker with an SDK", () => {
  test("show one task as one trace, and stop with no span unsent", async (t) => {
    const world = await createPostgresWorld(t)
    const files = ["api", "worker"].map((role) => join(world.folder, `${role}.spans`))
    const [api, worker] = await Promise.all(
      ["api", "worker"].map((role, index) =>
        world.serve(["--role", role], {
          isOwnProcess: true,
          environment: {
            ...world.environment,
            NODE_OPTIONS: `--import=${SDK}`,
            SPANS_FILE: files[index] ?? "",
          },
        }),
      ),
    )
    assert.ok(api !== undefined && worker !== undefined)
    const client: Client = { url: api.url, key: parseKey(api.stdout()) }
    const response = await post(client, PROMPT, { traceparent: `00-${TRACE}-${SPAN}-01` })
    const { task_id: id } = (await response.json()) as { readonly task_id: string }
    await reach(client, id, "succeeded")
    for (const { kill, ended } of [api, worker]) {
      kill("SIGTERM")
      assert.equal((await ended).code, 0)
    }

    const [accepting = [], working = []] = files.map(readSpans)
    const inTrace = ({ traceId }: RecordedSpan): boolean => traceId === TRACE
    const request = findOne(accepting.filter(inTrace), "POST /v1/tasks")
    const submission = findOne(accepting, "submit task")
    assert.deepEqual([request.parentId, submission.parentId], [SPAN, request.spanId])
    const work = findOne(working, "work on task")
    assert.deepEqual([work.traceId, work.parentId], [TRACE, submission.spanId])
    const names = working.filter(inTrace).map(({ name }) => name)
    for (const name of ["channel submit", "collect", "store artifact", "append"]) {
      assert.ok(names.includes(name), `${name} of ${names.join(", ")}`)
    }
    assert.equal(work.attributes["safelight.state.after"], "succeeded.available")
    assert.equal(findOne(working, "store artifact").traceId, TRACE)
    const told = JSON.stringify([...accepting, ...working])
    for (const secret of [PROMPT, client.key]) assert.ok(!told.includes(secret), told)
    for (const span of [...accepting, ...working]) requireListed(span)

    const lines = parseLog(api.stderr()).filter((line) => line["trace_id"] === TRACE)
    const requestLine = lines.find(({ msg }) => msg === "request")
    assert.deepEqual([requestLine?.["task"], requestLine?.["span_id"]], [id, request.spanId])
    const others = parseLog(api.stderr()).filter(({ msg }) => msg === "configuration")
    assert.deepEqual(
      others.map((line) => "trace_id" in line),
      [false],
    )
  })
})

function readSpans(file: string): RecordedSpan[] {
  return parseLines(readFileSync(file, "utf8")) as unknown as RecordedSpan[]
}

function parseLog(text: string): Record<string, unknown>[] {
  return parseLines(text)
}

function parseLines(text: string): Record<string, unknown>[] {
  const lines = text.trimEnd().split("\n")
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

function findOne(spans: readonly RecordedSpan[], name: string): RecordedSpan {
  const found = spans.filter((span) => span.name === name)
  assert.equal(found.length, 1, `${name} of ${spans.map((each) => each.name).join(", ")}`)
  return found[0] ?? assert.fail()
}

/** The README's table has every span, and what each may tell. */
function requireListed({ attributes, kind, name }: RecordedSpan): void {
  const label = kind === "server" ? "the method and its route" : `\`${name}\``
  const row = ROWS.find((each) => each.startsWith(`| ${label} `))
  assert.ok(row !== undefined, `the README does not list ${name}`)
  for (const attribute of Object.keys(attributes)) {
    assert.ok(row.includes(`\`${attribute}\``), `the README does not list ${attribute} of ${name}`)
  }
}

const ROWS = readFileSync(README, "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| "))
