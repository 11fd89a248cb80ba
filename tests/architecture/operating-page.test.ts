/**
 * The pages for operators: each message that the service logs is in its lists, and no other; and the unit lets the
 * service do what it needs.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { findLoggedMessages, parseLoggedMessages } from "./log-messages.ts"
import { read } from "./workspaces.ts"

const PAGE = "packages/safelight/docs/operating.md"

/** From the least severe to the most severe, and the headings of their lists. */
const LEVELS = ["info", "warn", "error"] as const
const LISTS = [
  ["error", "Errors"],
  ["warn", "Warnings"],
  ["info", "Information"],
] as const

interface Row {
  readonly level: string
  readonly fields: readonly string[]
}

function readRows(): ReadonlyMap<string, Row> {
  const section = /## Log messages\n([\s\S]*?)\n## /.exec(read(PAGE))?.[1] ?? ""
  const parts = section.split("\n### ")
  const rows = LISTS.flatMap(([level, heading]) => {
    const list = parts.find((part) => part.startsWith(`${heading}\n`)) ?? ""
    const lines = list.matchAll(/^- `([^`]+)`(?: \(([^)]*)\))?(?::|$)/gm)
    return Array.from(lines, ([, message = "", names = ""]) => {
      const fields = Array.from(names.matchAll(/`(\w+)`/g), ([, name = ""]) => name)
      return [message, { level, fields }] as const
    })
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

  it("are all of those that are logged, with their fields", () => {
    for (const { fields, message, path } of logged) {
      const row = rows.get(message)
      assert.ok(row !== undefined, `${path} logs "${message}", which ${PAGE} does not list`)
      for (const field of fields) assert.ok(row.fields.includes(field), `${message}: ${field}`)
    }
  })

  it("are only those that are logged, each in the list of its most severe level", () => {
    const used = Map.groupBy(logged, ({ message }) => message)
    for (const [message, { level }] of rows) {
      const written = new Set(used.get(message)?.flatMap(({ levels }) => levels))
      const worst = LEVELS.findLast((each) => written.has(each))
      assert.equal(level, worst, message)
    }
  })
})

describe("the unit of the page about deploying", () => {
  it("allows each kind of socket that the service opens", () => {
    const [, families = ""] =
      /^RestrictAddressFamilies=(.*)$/m.exec(
        read("packages/safelight/docs/deploy/safelight.service"),
      ) ?? []
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
