/**
 * The pages for operators: each message that the service logs is in its table, and no other; and the unit lets the
 * service do what it needs.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { findLoggedMessages, parseLoggedMessages } from "./log-messages.ts"
import { read } from "./workspaces.ts"

const PAGE = "packages/safelight/docs/operating.md"

interface Row {
  readonly levels: readonly string[]
  readonly fields: readonly string[]
}

function readRows(): ReadonlyMap<string, Row> {
  const section = /## Log messages\n([\s\S]*?)\n## /.exec(read(PAGE))?.[1] ?? ""
  const rows = Array.from(section.matchAll(/^\| `([^`]+)` +\|([^|]*)\|([^|]*)\|/gm), (row) => {
    const [, message = "", levels = "", fields = ""] = row
    const names = Array.from(fields.matchAll(/`(\w+)`/g), ([, name = ""]) => name)
    return [message, { levels: levels.trim().split(", "), fields: names }] as const
  })
  assert.equal(
    new Set(rows.map(([message]) => message)).size,
    rows.length,
    "a message stands twice",
  )
  return new Map(rows)
}

describe("the log messages of the page for operators", () => {
  const rows = readRows()
  const logged = findLoggedMessages()

  it("are short nouns, each written out where it is logged", () => {
    assert.ok(logged.length > 50, "the sources have log messages")
    for (const { message, path } of logged) {
      assert.match(message, /^[\w-]+(?: [\w-]+){0,4}$/, `${path}: ${message}`)
    }
  })

  it("are all of those that are logged, with their levels and fields", () => {
    for (const { fields, levels, message, path } of logged) {
      const row = rows.get(message)
      assert.ok(row !== undefined, `${path} logs "${message}", which ${PAGE} does not list`)
      for (const level of levels) assert.ok(row.levels.includes(level), `${message}: ${level}`)
      for (const field of fields) assert.ok(row.fields.includes(field), `${message}: ${field}`)
    }
  })

  it("are only those that are logged, at those levels", () => {
    const used = Map.groupBy(logged, ({ message }) => message)
    for (const [message, { levels }] of rows) {
      const written = new Set(used.get(message)?.flatMap((each) => each.levels))
      assert.deepEqual(new Set(levels), written, message)
    }
  })
})

describe("the unit on the page about deploying", () => {
  it("allows each kind of socket that the service opens", () => {
    const [, families = ""] =
      /^RestrictAddressFamilies=(.*)$/m.exec(read("packages/safelight/docs/deploying.md")) ?? []
    // Listeners and providers; child processes and the resolver; the list of the machine's own addresses.
    assert.deepEqual(families.split(" "), ["AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK"])
  })
})

describe("the reader of log messages", () => {
  it("finds message, levels and fields in the call or in a constant before it", () => {
    const source = `
      log.info({ one, two: f({ three }), ...rest }, "first thing")
      const fields = { four }
      context.log[isBad ? "error" : "warn"](fields, "second")`
    const [first, second] = parseLoggedMessages("", source)
    assert.deepEqual(first, {
      path: "",
      message: "first thing",
      levels: ["info"],
      fields: ["one", "two"],
    })
    const { message, levels, fields } = second ?? assert.fail()
    assert.deepEqual([message, levels, fields], ["second", ["error", "warn"], ["four"]])
  })

  it("finds no message where it is not written out", () => {
    assert.equal(parseLoggedMessages("", "log.warn({}, words)")[0]?.message, "")
  })
})
