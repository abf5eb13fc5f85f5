/** Small talk: nothing is to be done, something is to be said. A sentence is small talk if it says so and holds no other word. */

export type Talk = "greeting" | "abilities" | "thanks" | "goodbye" | "failure" | "model" | "denial";

interface Kind {
  readonly talk: Talk;
  /** What makes it this kind. */
  readonly says: RegExp;
  /** Words that may stand around it. */
  readonly around: ReadonlySet<string>;
}

const kind = (talk: Talk, says: string, around: string): Kind => ({
  talk,
  says: new RegExp(`(?<![\\w-])(?:${says})(?![\\w-])`, "i"),
  around: new Set(`${around} ${POLITE} ${says.replace(/\(\?:|[()?+|\\^$]/g, " ")}`.split(/\s+/).filter(Boolean)),
});

const POLITE =
  "please pls plz so well ok okay and then now just really actually the a an to for me my us you u it is are this that all there here then oh ah";

const KINDS: readonly Kind[] = [
  kind(
    "goodbye",
    "exit|quit|bye|byebye|goodbye|ciao|logout|log out|log off|farewell|leave|close|end|finish|see (?:you|ya)|good ?night|(?:i am|im|i'm) (?:done|off|leaving|out)|(?:have to|must|need to|gotta|got to|should) (?:go|leave|run)|let me out|get me out|so long|have a (?:nice|good) (?:day|evening|one|weekend)|until (?:later|tomorrow)|go home|q",
    "i am im i'm i'd would like want going later soon tomorrow around today enough thanks thank thx ty cheers much session conversation chat program agent app application of hey good that's thats very again guys everyone friend",
  ),
  kind(
    "abilities",
    "help|capabilities|abilities|commands?|examples?|usage|menu|tutorial|able|capable|features|options|what (?:all |else |exactly |(?:sort|kinds?|types?) of )*(?:things |stuff |sentences |questions |languages? |words |tools |tasks )*(?:can|could|should|may|do|are|must) (?:you|u|i|we)|(?:what|all) (?:that )?(?:you|u|i) (?:can|could)|who (?:are|r|is|made|built|created|wrote) (?:you|u|this)|are you|introduce|yourself|how (?:do|does|can|should|could|to) (?:i |you |this |it |we )?(?:use|work|help|start|begin|talk|operate|get)|what(?: is|'s|s) (?:possible|available|your|hookloop|this (?:tool|agent|thing)|the offline model)|get started|lost|do you (?:understand|speak)|what (?:model|llm|ai|now|next)|which (?:model|llm|ai)|tell me about you|where (?:do|should|can) i (?:start|begin)|what (?:to|should i|do i|can i) (?:type|say|write|ask|do|try|enter)|about|demo|info|man|h|start",
    "what which who how can could do does don't dont know with i we not sure else first time new here exactly your yourself use say type ask try write tell show list give print display explain some of more any on page text work works thing things stuff tool program agent properly understand speak help out needed good at be make offer support have talking using really human robot bot llm ai person model real offline claude gpt chatgpt language machine smart intelligent name job purpose function version hell english hookloop today next begin in hey hi hello thanks best get possible available sort kind type",
  ),
  kind(
    "thanks",
    "thanks|thank|thx|ty|merci|danke|gracias|cheers|ta|ok|okay|k|sure|cool|nice|great|perfect|good|well done|awesome|excellent|wonderful|super|got it|i see|understood|all right|alright|yes|yep|yeah|no|nope|never ?mind|nothing|sorry|wow|lol|haha|stop|wait|please|works|worked|helps|helped|that (?:is|was) (?:all|it|enough|great|good|perfect|helpful|nice)|that's (?:all|it|great|good|fine)|love it|neat|sweet|fine|right|y|n|you are|you're|brilliant|fantastic|amazing",
    "a lot bunch ton tons loads heaps lots much very million again your help everything job work one today was great best the did many nevermind mind helpful nice i very really friend mate agent there indeed exactly that's thats it's its",
  ),
  kind(
    "greeting",
    "h+i+|hello|he+y+|hallo|hiya|heya|howdy|yo|hola|bonjour|salut|servus|moin|ciao|namaste|ahoy|sup|what'?s up|greetings|welcome|good (?:morning|afternoon|evening|day)|guten (?:tag|morgen|abend)|gr(?:ü|ue)(?:ß|ss) (?:gott|dich)|bon(?:jour|soir)|buen(?:os|as) (?:dias|días|tardes|noches)|buongiorno|morning|evening|nice to (?:meet|see) you|how (?:are|r) (?:you|u)|how do you do|how(?: is|'s) it going|are you there|(?:anyone|anybody|someone) (?:there|home|here)|testing one two",
    "everyone everybody agent bot friend friends partner again computer hookloop claude sir mate world team folks pal buddy dude man doing today how good day my old dear i am im new first time nice up what what's whats still",
  ),
];

const DENIAL =
  /^(?:please |ok |but )*(?:(?:do not|don't|dont|don’t|never|you must not|you should not) \w+ (?:anything|a thing|any(?: of (?:the|my))? files?|something)(?: here| else| yet)?|do nothing)[.! ]*$/i;
const FAILURE =
  /^(?:please |now )*(?:pretend|simulate|act as if|imagine|fake|show|play|cause|make)(?: (?:that|an?|the|you|your|to|like|me))*(?: (?:model|api|server|network))?(?: (?:fails?|failing|failure|error|is down|outage|breaks?|broke|had an error|has failed|failed|crash(?:es)?|have failed|unavailable|is unavailable))+(?: of the model)?[.! ]*$/i;
const MODEL =
  /^(?:please |can you |could you |now )*(?:(?:switch|change|swap|use|try|take|select|choose|pick|set|go|move)(?: (?:to|over|for|me|back|your))*(?: (?:an?|the|some))?(?: (?:other|another|different|new|second|next|better|real|offline|current))* models?(?: (?:to|called|named) \S+)?|(?:which|what)(?: other)? models (?:are (?:there|available)|do you have|can i use|exist)|(?:list|show)(?: me)?(?: all)?(?: the)?(?: available)? models)[?.! ]*$/i;
/** Lists of the user's, which have commands of their own. */
const OWN_LISTS = /\b(?:tasks|to-?dos?|skills|hooks?|events|guards?) (?:do|are|have|is|can)\b|\b(?:hooks?|events?|exit codes?)\b/i;
const LONGEST = 120;

export function talkOf(sentence: string): Talk | undefined {
  const text = sentence.trim();
  if (DENIAL.test(text)) return "denial";
  if (FAILURE.test(text)) return "failure";
  if (MODEL.test(text)) return "model";
  if (/^(?:\?+|:(?:q|wq|x)a?(?:ll)?!?|(?:exit|quit|close|bye|q)\(\);?)$/i.test(text)) return text.startsWith("?") ? "abilities" : "goodbye";
  if (text.length > LONGEST || OWN_LISTS.test(text)) return undefined;
  const words = text
    .toLowerCase()
    .replace(/’/g, "'")
    .split(/[\s,.!?…:;()]+/)
    .filter(Boolean);
  return KINDS.find(
    ({ says, around }) => says.test(words.join(" ")) && words.every((word) => around.has(word) || /^(?:h+i+|he+y+)$/.test(word)),
  )?.talk;
}

/** "I am new here, what can you do?": what nothing can be done about is passed over if the rest is talk. */
export function clauseTalk(text: string): Talk | undefined {
  const clauses = text.split(/[,.!?;]+\s+/).filter(Boolean);
  const found = clauses.length > 1 ? clauses.map(talkOf) : [];
  if (found.includes("abilities")) return "abilities";
  return found.length > 0 && found.every((talk) => talk !== undefined) ? found.at(-1) : undefined;
}
