/** A list of tasks as its pages arrive: brought up to date, without holes, and deaf to what was called off. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { setImmediate as nextTurn } from "node:timers/promises"
import type { Task } from "@safelight/client"
import type { TaskPage } from "../../packages/console/src/pages/tasks/listed-tasks.ts"
import { createTaskList } from "../../packages/console/src/pages/tasks/task-list.ts"
import { until } from "../support/until.ts"

const PAGE_TASKS = 100

describe("a list of tasks that is brought up to date", () => {
  it("no longer shows what its filter lets through no more, on whichever page", async () => {
    const service = createService(250)
    const list = createTaskList(service.readPage, { status: "running" })
    await settle(list)
    list.loadMore()
    await settle(list)
    list.loadMore()
    await settle(list)
    assert.equal(list.tasks.value.length, 250)
    for (const number of [250, 249, 120, 1]) service.running.delete(number)
    service.running.add(251)
    for (const _ of ["the second page", "the third", "the second again"]) {
      list.refresh()
      await settle(list)
    }
    assert.deepEqual(toNumbers(list.tasks.value), service.listRunning())
  })

  it("keeps every task that is still there, and where more begins", async () => {
    const service = createService(250)
    const list = createTaskList(service.readPage, {})
    await settle(list)
    for (const number of [251, 252, 253]) service.running.add(number)
    list.refresh()
    await settle(list)
    assert.deepEqual(toNumbers(list.tasks.value), service.listRunning().slice(0, 103))
    assert.equal(list.hasMore.value, true)
    for (const _ of [1, 2]) {
      list.loadMore()
      await settle(list)
    }
    assert.deepEqual(toNumbers(list.tasks.value), service.listRunning())
    assert.equal(list.hasMore.value, false)
  })

  it("has no hole after more new tasks than a page holds", async () => {
    const service = createService(150)
    const list = createTaskList(service.readPage, {})
    await settle(list)
    for (let number = 151; number <= 400; number++) service.running.add(number)
    list.refresh()
    await settle(list)
    while (list.hasMore.value) {
      list.loadMore()
      await settle(list)
    }
    assert.deepEqual(toNumbers(list.tasks.value), service.listRunning())
  })

  it("becomes empty with the last task that matches", async () => {
    const service = createService(2)
    const list = createTaskList(service.readPage, { status: "running" })
    await settle(list)
    service.running.clear()
    list.refresh()
    await settle(list)
    assert.deepEqual(list.tasks.value, [])
    assert.equal(list.error.value, undefined)
  })
})

describe("an answer to what was called off", () => {
  it("is not shown in place of the newer one", async () => {
    const answers: PromiseWithResolvers<TaskPage<Task>>[] = []
    const list = createTaskList<Task>(() => {
      const answer = Promise.withResolvers<TaskPage<Task>>()
      answers.push(answer)
      return answer.promise
    }, {})
    const [first = assert.fail()] = answers
    list.reload()
    const [, second = assert.fail()] = answers
    second.resolve({ tasks: [toTask(2)], next_cursor: null })
    await settle(list)
    first.resolve({ tasks: [toTask(1)], next_cursor: "of the first" })
    await nextTurn()
    assert.deepEqual(toNumbers(list.tasks.value), [2])
    assert.equal(list.hasMore.value, false)
  })

  it("is not shown once the page was left", async () => {
    const answer = Promise.withResolvers<TaskPage<Task>>()
    const list = createTaskList<Task>(() => answer.promise, {})
    answer.resolve({ tasks: [toTask(1)], next_cursor: null })
    list.close()
    await settle(list)
    assert.deepEqual(list.tasks.value, [])
    assert.equal(list.error.value, undefined)
  })
})

/** A service with so many running tasks, which it lists newest first. */
function createService(count: number) {
  const running = new Set(Array.from({ length: count }, (_, index) => index + 1))
  const listRunning = (): readonly number[] => [...running].toSorted((a, b) => b - a)
  return {
    running,
    listRunning,
    async readPage({ cursor }: { readonly cursor: string | undefined }): Promise<TaskPage<Task>> {
      const left = listRunning().filter((number) => number < Number(cursor ?? Infinity))
      const page = left.slice(0, PAGE_TASKS)
      const next = left.length > page.length ? String(page.at(-1)) : null
      return { tasks: page.map(toTask), next_cursor: next }
    },
  }
}

function toTask(number: number): Task {
  return {
    task_id: String(number).padStart(6, "0"),
    status: "running",
    progress: 1,
  } as unknown as Task
}

function toNumbers(tasks: readonly Task[]): readonly number[] {
  return tasks.map(({ task_id: id }) => Number(id))
}

async function settle({ isLoading }: { readonly isLoading: { readonly value: boolean } }) {
  await until(() => !isLoading.value)
}
