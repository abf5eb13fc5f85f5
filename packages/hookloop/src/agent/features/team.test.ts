import { expect, test } from "vitest";
import { Team } from "./team.ts";

/** Lets everything that waits for nothing happen. */
const settle = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

test("the lead is told that teammates are idle once none of them works any more, and once only", async () => {
  const team = new Team("t");
  const alice = team.add("alice", "x");
  const bob = team.add("bob", "x");
  let isNews = false;
  const news = team.news().then(() => {
    isNews = true;
  });
  const rests = [team.rest(alice)];
  await settle();
  expect([isNews, team.take(), team.isPending()]).toEqual([false, [], true]);
  bob.lastWords = "all green";
  rests.push(team.rest(bob));
  await news;
  expect(team.take()).toEqual(["alice is idle.", "bob is idle. Its last words: all green"]);
  expect([team.take(), team.isPending()]).toEqual([[], false]);
  team.call(alice);
  team.call(bob);
  await Promise.all(rests);
});

test("a teammate that is called counts as working at once: the team is not taken for idle while it gets up", async () => {
  const team = new Team("t");
  const alice = team.add("alice", "x");
  const rest = team.rest(alice);
  team.call(alice);
  expect(alice.state).toBe("working");
  expect(team.isPending()).toBe(true);
  await rest;
});

test("a call between looking for work and resting is not lost", async () => {
  const team = new Team("t");
  const alice = team.add("alice", "x");
  team.tell(alice, "hello");
  await team.rest(alice);
  expect([alice.state, alice.inbox]).toEqual(["working", ["hello"]]);
});

test("a message to the lead is news while others work", async () => {
  const team = new Team("t");
  team.add("alice", "x");
  const news = team.news();
  team.tellLead("look");
  await news;
  expect(team.take()).toEqual(["look"]);
});

test("a name can be used again after its bearer has ended", () => {
  const team = new Team("t");
  team.end(team.add("alice", "x"), "done.");
  expect(team.members).toEqual([]);
  const again = team.add("alice", "y");
  expect([team.byAgent("alice@t"), team.takeMessages()]).toEqual([again, ["alice has ended: done."]]);
});
