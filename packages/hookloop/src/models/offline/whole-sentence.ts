/**
 * The check that every rule goes through which changes something, or leaves something out when it looks.
 * Takes what a rule found, gives its steps; or a question back, where a part of the sentence holds more than the one thing it is for.
 * Refuses half a sentence: to do something else than was said is worse than to ask.
 */

import { isQuoted, type Reading, type Rule, TEXT_WORD } from "./phrase.ts";

/** Words that limit what was said before them; "we are not there" is a text only in quotes, or where it is called one. */
const LIMIT =
  /(?:^|[\s,])(?:except(?:ing)?|excluding|besides|apart from|but|unless|without|only|not|never|nothing else|if|when|while)(?=[\s,]|$)/i;
/** "cream on line 1", "cream in the first line". */
const LINE = /\S,?\s+(?:on|in|at|from|of)\s+(?:the\s+)?(?:(?:first|second|third|last|next|same|other)\s+)?lines?\b/i;
/** "2 and three with 3": another of the same. */
const ANOTHER = /(?:\sand|,|;|\splus)\s+(?:\S+\s+){1,5}?(?:with|by|to|into|for|as|in|->|=>)\s+\S/i;
/** "the first milk": one of several. */
const ONE_OF = /^(?:the\s+)?(?:first|second|third|last|next|other|\d+(?:st|nd|rd|th))\s+\S/i;
/** "the content of notes.txt" is not the words "notes.txt". */
const TAKEN_FROM = /^(?:the\s+|all\s+|whole\s+|its\s+)*(?:contents?|text|body|data|lines?|words?|output|results?)\s+(?:of|from|in)\s+\S/i;
const MARK = /[\ue000-\uf8ff]/;

/** What is known about a part without being a part of it: "all foo", "the word foo", "foo everywhere", "the name field". */
const KNOWN_START = /^(?:(?:all|every|each|any|the|this|that|of|my|an?)\s+)*(?:occurr?ences?|instances?|mentions?)\s+of\s+/i;
const KNOWN_END =
  /,?\s+(?:everywhere|globally|project-?wide|instead|out|in it|into it|there|fields?|keys?|values?|settings?|property|option|variable|entry)$/i;
const NAMED_THING =
  /^(?:(?:all|every|each|any|the|this|that|my|an?)\s+)*(?:(?:variable|function|method|class|constant|word|text|string|name|term|phrase|identifier|parameter|property|field|key|value|line|typo|title|heading|sentence|file|folder|directory|comment)s?(?:\s+(?:of|for|called|named|with|containing|saying))?\s+)?(?=\S)/i;

/** The first part that holds more than one thing. */
function leftover(slots: readonly (string | undefined)[]): string | undefined {
  return slots.find((slot) => slot !== undefined && holdsMore(slot.trim()));
}

function holdsMore(slot: string): boolean {
  if (slot.length < 2 || isQuoted(slot)) return false;
  if (TAKEN_FROM.test(slot)) return true;
  if (/^(?:the |these |two |three )*lines\b/i.test(slot)) return false;
  const rest = slot.replace(KNOWN_START, "").replace(NAMED_THING, "").replace(KNOWN_END, "").trim();
  if (MARK.test(rest)) return rest.length > 1;
  // What is called a text may hold any word.
  return !TEXT_WORD.test(slot) && [LIMIT, LINE, ANOTHER, ONE_OF].some((more) => more.test(slot));
}

/** The rule, for whole sentences. */
export function whole({ pattern, make }: Rule): Rule {
  return {
    pattern,
    make(match, about): Reading {
      const made = make(match, about);
      const more = typeof made === "string" || made === undefined ? undefined : leftover(match.slice(1));
      return more === undefined
        ? made
        : `I did not understand all of it (${more.trim()}), so I did nothing. Say one thing at a time, and put texts in quotes.`;
    },
  };
}
