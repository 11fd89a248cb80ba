/**
 * The writing thread: answers every request in order. It imports nothing that must be installed,
 * so it starts from this file alone, as source or as built.
 */
import { parentPort, workerData } from "node:worker_threads"
import type { WriterAnswer, WriterRequest, WriterSettings } from "./protocol.ts"
import { openWritingConnection } from "./writing-connection.ts"

if (parentPort === null) throw new Error("writing-thread-body.ts is the body of a worker thread")
const port = parentPort
const connection = openWritingConnection(workerData as WriterSettings)

port.on("message", (request: WriterRequest) => {
  switch (request.kind) {
    case "commit": {
      connection.define(request.definitions)
      const answer: WriterAnswer = connection.commit(request.changes)
      port.postMessage(answer)
      break
    }
    case "close":
      connection.close()
      port.close()
  }
})
