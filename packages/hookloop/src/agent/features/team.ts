/** Who is in the team, what they have been told, and what the lead is to hear. It knows no model and no tool. */

import type { BackgroundWork } from "../conversation.ts";

/** The name of the main agent. */
export const LEAD = "team-lead";

export interface Member {
  readonly name: string;
  readonly agentId: string;
  readonly agentType: string;
  state: "working" | "idle" | "ended";
  /** What others said to it since it last looked. */
  inbox: readonly string[];
  /** Something has happened since it last looked for work. */
  isCalled: boolean;
  /** Ends its rest. */
  wake?: (() => void) | undefined;
  /** Somebody asked it to stop, and it has not answered. */
  isAskedToStop: boolean;
  hasAgreedToStop: boolean;
  /** The lead knows that it is idle. */
  isTold: boolean;
  lastWords: string;
}

export class Team implements BackgroundWork {
  readonly name: string;
  readonly #members = new Map<string, Member>();
  #forLead: readonly string[] = [];
  #waiting: (() => void)[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** Those that have not ended. */
  get members(): readonly Member[] {
    return [...this.#members.values()].filter(({ state }) => state !== "ended");
  }

  /** Also one that has ended. */
  member(name: string): Member | undefined {
    return this.#members.get(name);
  }

  byAgent(agentId: string | undefined): Member | undefined {
    return agentId === undefined ? undefined : [...this.#members.values()].find((member) => member.agentId === agentId);
  }

  add(name: string, agentType: string): Member {
    const member: Member = {
      name,
      agentId: `${name}@${this.name}`,
      agentType,
      state: "working",
      inbox: [],
      isCalled: false,
      isAskedToStop: false,
      hasAgreedToStop: false,
      isTold: false,
      lastWords: "",
    };
    this.#members.set(name, member);
    return member;
  }

  tellLead(text: string): void {
    this.#forLead = [...this.#forLead, text];
    this.#look();
  }

  tell(member: Member, text: string): void {
    member.inbox = [...member.inbox, text];
    this.call(member);
  }

  /** Makes it look for work. It counts as working at once: nobody may take the team for idle while it gets up. */
  call(member: Member): void {
    member.isCalled = true;
    if (member.state !== "idle") return;
    member.state = "working";
    member.wake?.();
  }

  /** Until somebody calls it; not at all if somebody has since it looked. */
  async rest(member: Member): Promise<void> {
    if (member.isCalled) return;
    const called = new Promise<void>((resolve) => {
      member.wake = resolve;
    });
    member.state = "idle";
    this.#look();
    await called;
    member.wake = undefined;
  }

  end(member: Member, why: string): void {
    member.state = "ended";
    this.tellLead(`${member.name} has ended: ${why}`);
  }

  isPending(): boolean {
    return this.#forLead.length > 0 || this.members.some(({ state, isTold }) => state === "working" || !isTold);
  }

  async news(): Promise<void> {
    if (this.#hasNews()) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** What others said to the lead; and who is idle, once everybody is: a lead that heard of each one would be asked for nothing. */
  take(): readonly string[] {
    const said = this.takeMessages();
    if (this.members.some(({ state }) => state === "working")) return said;
    const idle = this.members.filter(({ isTold }) => !isTold);
    for (const member of idle) member.isTold = true;
    return [...said, ...idle.map(({ name, lastWords }) => `${name} is idle.${lastWords === "" ? "" : ` Its last words: ${lastWords}`}`)];
  }

  takeMessages(): readonly string[] {
    const said = this.#forLead;
    this.#forLead = [];
    return said;
  }

  #hasNews(): boolean {
    return this.#forLead.length > 0 || this.members.every(({ state }) => state === "idle");
  }

  #look(): void {
    if (!this.#hasNews()) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
