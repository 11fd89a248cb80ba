/** A tree over the log in PostgreSQL, on several nodes, whose commits become visible in any order. */
import { describeTree } from "../store/describe-tree.ts"
import { open } from "./open.ts"

describeTree("PostgreSQL", async () => {
  const opened = await open()
  const storages = [opened.storage, await opened.openBeside(), await opened.openBeside()]
  return {
    storages,
    async addByHand(task) {
      await opened.execute(
        `insert into events (task, version, at, schema, type, hash, data)
        values ('${task}', 1, 5, 1, 'submitted', decode('${"ab".repeat(32)}', 'hex'), '{}')`,
      )
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
})
