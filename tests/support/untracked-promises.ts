/**
 * Loaded before a file of tests, in its process: its runner doesn't follow each promise. The runner would,
 * so as to say which test a rejection belongs to that nobody caught, and an await would take thirty times as
 * long. Such a rejection fails its file all the same, and is told here with its stack; what a timer or a
 * socket throws still fails its test.
 */
import asyncHooks, { type AsyncHook, type HookCallbacks } from "node:async_hooks"
import process from "node:process"
import { isMainThread } from "node:worker_threads"

const [, entry = ""] = process.argv

// Not in processes and threads of a test's own, which are given the same flags.
if (isMainThread && /\.test\.m?ts$|\.test\.mjs$/.test(entry)) {
  const { createHook } = asyncHooks
  // Before `node:test` is loaded, which takes it from here.
  asyncHooks.createHook = (callbacks: HookCallbacks): AsyncHook =>
    createHook({ ...callbacks, trackPromises: false })
  process.on("unhandledRejection", (error) => console.error(error))
}
