/** What counts as passed. That the runner tells it in this form is seen in every whole run. */
import assert from "node:assert/strict"
import { join } from "node:path"
import { describe, it } from "node:test"
import type { TestEvent } from "node:test/reporters"
import { createPassedTests, type PassedTests } from "./passed-tests.ts"

const FOLDER = join(import.meta.dirname, "..")

interface Told {
  readonly is?: "suite" | "test"
  readonly ends?: "pass" | "fail"
  readonly skip?: string
  readonly todo?: string
  /** Where it was written, if not in the file that ran. */
  readonly from?: string
}

/** Tells of tests as the runner does: the start from the outside inwards, the end outwards. */
function createTeller(passed: PassedTests, file: string) {
  let nesting = 0
  function note(type: string, name: string, { is = "test", from, ...more }: Told): void {
    const details = { type: is }
    const entryFile = join(FOLDER, file)
    const data = { name, nesting, details, entryFile, file: join(FOLDER, from ?? file), ...more }
    passed.note({ type, data } as unknown as TestEvent)
  }
  function tell(name: string, told: Told = {}, within: () => void = () => {}): void {
    const { ends = "pass", ...rest } = told
    note("test:enqueue", name, rest)
    note("test:start", name, rest)
    nesting += 1
    within()
    nesting -= 1
    note(`test:${ends}`, name, rest)
  }
  return { tell, suite: (name: string, within: () => void) => tell(name, { is: "suite" }, within) }
}

const toSuite = (name: string): string => (name.includes(" > ") ? name.split(" > ")[0]! : "")

function open({ file = "core/one.test.ts", isStrict = true } = {}) {
  const passed = createPassedTests({ folder: FOLDER, isStrict })
  const hasPassed = (name: string, of = file) =>
    passed.namesIn({ file: of, name: toSuite(name) }).includes(name)
  return { passed, hasPassed, ...createTeller(passed, file) }
}

describe("the tests that have passed", () => {
  it("have the names of their suites before their own", () => {
    const { tell, suite, hasPassed } = open()
    tell("alone")
    suite("a suite", () => {
      suite("inside", () => tell("passes"))
      tell("is behind")
    })
    tell("is last")
    const names = ["alone", "a suite > inside > passes", "a suite > is behind", "is last"]
    for (const name of names) assert.ok(hasPassed(name), name)
    for (const name of ["passes", "inside > passes", "a suite > passes", "is behind"]) {
      assert.ok(!hasPassed(name), name)
    }
  })

  it("are of the file that ran, wherever they were written", () => {
    const { tell, hasPassed } = open()
    tell("is shared", { from: "support/shared.ts" })
    assert.ok(hasPassed("is shared"))
    assert.ok(!hasPassed("is shared", "support/shared.ts"))
  })

  it("are told apart by file, though the runner tells of several at once", () => {
    const { passed, suite, hasPassed } = open()
    const other = createTeller(passed, "core/other.test.ts")
    suite("a suite", () => {
      other.suite("another", () => suite("inside", () => other.tell("is elsewhere")))
    })
    assert.ok(hasPassed("another > is elsewhere", "core/other.test.ts"))
    assert.ok(!hasPassed("another > is elsewhere"))
  })

  it("are none that failed, was skipped, is left for later, or is a suite", () => {
    const { tell, suite, hasPassed } = open()
    suite("a suite", () => {
      tell("fails", { ends: "fail" })
      tell("is skipped", { skip: "no browser" })
      tell("is for later", { todo: "soon" })
    })
    for (const name of ["a suite > fails", "a suite > is skipped", "a suite > is for later"]) {
      assert.ok(!hasPassed(name), name)
    }
    assert.ok(!hasPassed("a suite"))
  })

  for (const [one, other] of [
    ["pass", "fail"],
    ["fail", "pass"],
  ] as const) {
    it(`passed in both worlds, under one name: a ${one} and a ${other} are none`, () => {
      const { tell, suite, hasPassed } = open()
      for (const [world, ends] of [
        ["in process", one],
        ["over a socket", other],
      ] as const) {
        suite(`a thing, ${world}`, () => {
          tell("does it")
          tell("does more ", { ends })
        })
        tell(`works, ${world}`)
      }
      assert.deepEqual([hasPassed("a thing > does it"), hasPassed("works")], [true, true])
      assert.ok(!hasPassed("a thing > does more"))
      assert.ok(!hasPassed("a thing, in process > does it"))
    })
  }

  it("may have parts, which have names of their own", () => {
    const { tell, hasPassed } = open()
    tell("has parts", {}, () => tell("a part"))
    assert.ok(hasPassed("has parts"))
    assert.ok(hasPassed("has parts > a part"))
  })

  it("are counted by their outermost suite, each once", () => {
    const { passed, tell, suite } = open()
    tell("alone")
    for (const world of ["in process", "over a socket"]) {
      suite(`a suite, ${world}`, () => {
        tell("passes")
        suite("inside", () => tell("passes"))
      })
    }
    const file = "core/one.test.ts"
    const names = ["", "a suite", "inside"].map((name) => passed.namesIn({ file, name }))
    assert.deepEqual(names, [["alone"], ["a suite > passes", "a suite > inside > passes"], []])
  })

  it("are also those that were skipped where the machine may lack something", () => {
    const { tell, hasPassed } = open({ isStrict: false })
    tell("is skipped", { skip: "no browser" })
    tell("is for later", { todo: "soon" })
    assert.deepEqual([hasPassed("is skipped"), hasPassed("is for later")], [true, false])
  })
})
