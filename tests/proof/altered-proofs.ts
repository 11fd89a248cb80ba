/** Proofs of the tasks of a signed log, and every way to alter one: whoever verifies it must refuse each. */
import assert from "node:assert/strict"
import type { KeptCheckpoint, TaskProof } from "@safelight/core"
import { openTaskProof, proveTask, type VerifierKey } from "@safelight/proof"
import { sha256, verifyEd25519 } from "@safelight/proof/node"
import { sampleLeaf, tree } from "./sample-tree.ts"
import { createSignedTasks, ORIGIN, type SignedTasks } from "./signed-tasks.ts"

export const TASKS = ["a", "b", "c", "d", "e"]

/** As it arrives. */
export interface ProofDocument {
  task: string
  checkpoint: string
  events: Record<string, unknown>[]
}

export type Alter = (document: ProofDocument, place: number) => void

export interface SignedProofs extends SignedTasks {
  readonly checkpoint: KeptCheckpoint
  prove(task: string): Promise<TaskProof>
}

/** Of five tasks by default, with three events each. */
export async function createProofs(tasks: readonly string[] = TASKS): Promise<SignedProofs> {
  const log = await createSignedTasks()
  await log.add(...tasks)
  const checkpoint = await log.sign()
  const prove = async (task: string): Promise<TaskProof> => {
    const proof = await proveTask({ ...log, tree, sha256, checkpoint, viewer: "operator" }, task)
    return proof ?? assert.fail(`${task} is not proved`)
  }
  return { ...log, checkpoint, prove }
}

export function copyProof(proof: TaskProof): ProofDocument {
  return JSON.parse(JSON.stringify(proof)) as ProofDocument
}

export function open(document: unknown, key: VerifierKey): ReturnType<typeof openTaskProof> {
  return openTaskProof(document, { origin: ORIGIN, logKeys: [key], verify: verifyEd25519, sha256 })
}

/** By their names, of a proof of task `b` of `TASKS`. `other` is the proof of task `c`. */
export function createAlterations(other: TaskProof): Readonly<Record<string, Alter>> {
  const hash = Buffer.from(sampleLeaf(0)).toString("base64")
  return {
    "another character of its data": at((event) => {
      event["data"] = String(event["data"]).replace("{", "[")
    }),
    "another moment": at((event) => (event["at"] = Number(event["at"]) + 1)),
    "another type": at((event) => (event["type"] = "expired")),
    "another schema": at((event) => (event["schema"] = 9)),
    "another version": at((event) => (event["version"] = Number(event["version"]) + 1)),
    "another hash": at((event) => {
      event["hash"] = String(event["hash"]).replace(/[0-8]/, "9")
    }),
    "another sealed text": at((event) => (event["sealed"] = "ef".repeat(32))),
    "another leaf": at((event) => (event["index"] = Number(event["index"]) + 1)),
    "a leaf outside of the tree": at((event) => (event["index"] = 15)),
    "no proof": at((event) => (event["proof"] = [])),
    "a longer proof": at((event) => (event["proof"] = [...(event["proof"] as string[]), hash])),
    "another proof": at((event) => (event["proof"] = [hash])),
    "a hash that is none": at((event) => (event["proof"] = ["A"])),
    "an event less": ({ events }, place) => void events.splice(place % 2, 1),
    "an event twice": ({ events }, place) => {
      events.splice(place % 3, 0, { ...events[place % 3] })
    },
    "events in another order": (document) => {
      document.events = document.events.toReversed()
    },
    "another task": (document) => (document.task = "c"),
    "events of another task": (document) => (document.events = copyProof(other).events),
    "a larger size": (document) => {
      document.checkpoint = document.checkpoint.replace("\n15\n", "\n16\n")
    },
    "another signature": (document) => {
      document.checkpoint = document.checkpoint.replace(/.(?=.{8}=*\n$)/, (digit) =>
        digit === "A" ? "B" : "A",
      )
    },
    "no signature": (document) => {
      document.checkpoint = document.checkpoint.replace(/— .*\n/, "")
    },
  }
}

function at(alter: (event: Record<string, unknown>) => unknown): Alter {
  return ({ events }, place) => {
    alter(events[place % events.length] ?? assert.fail("no events"))
  }
}
