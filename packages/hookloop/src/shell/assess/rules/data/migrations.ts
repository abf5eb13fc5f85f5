/** Tools that make and unmake the database of an application. */
import { has, operand } from "../../call/call.ts";
import type { Judge, Rule } from "../../rule.ts";

const DELETES = "it deletes a database";

export const MIGRATION_RULES: readonly (Rule | Judge)[] = [
  // What these start is judged under its own name.
  {
    programs: "npx pnpx bunx bundle npm yarn poetry uv pipenv rye",
    judge: (call) => {
      const at = call.words.findIndex(({ text }, index) => index > 0 && TOOLS.has(text));
      if (at > 0 && !call.scene.starters.has(call.command)) call.scene.judgeWords(call.words.slice(at), call.command);
    },
  },
  {
    programs: "rails rake bin/rails",
    sub: "db:*",
    when: (call) => /^db:(?:drop|reset|purge|truncate|schema:load|migrate:reset|rollback)/.test(operand(call, 0)),
    kind: "destroys-data",
    text: "it deletes a database",
  },
  { programs: "prisma", sub: "migrate reset", kind: "destroys-data", text: "it deletes a database" },
  {
    programs: "prisma",
    sub: "db push",
    with: ["--force-reset", "--accept-data-loss"],
    kind: "destroys-data",
    text: "it deletes data of a database",
  },
  {
    programs: "php artisan",
    when: (call) => call.words.some(({ text }) => /^(?:migrate:(?:fresh|reset|refresh|rollback)|db:wipe)$/.test(text)),
    kind: "destroys-data",
    text: "it deletes a database",
  },
  {
    programs: "python manage.py",
    when: (call) =>
      call.words.some(({ text }) => /(?:^|\/)manage\.py$/.test(text)) &&
      call.words.some(({ text }) => /^(?:flush|reset_db|sqlflush)$/.test(text)) &&
      !has(call, "--help"),
    kind: "destroys-data",
    text: "it deletes a database",
  },
  { programs: "alembic", sub: "downgrade base", kind: "destroys-data", text: DELETES },
  { programs: "flyway", sub: "clean", kind: "destroys-data", text: DELETES },
  { programs: "liquibase", sub: "drop-all|dropall|rollback*", kind: "destroys-data", text: DELETES },
  { programs: "sequelize sequelize-cli", sub: "db:drop|db:migrate:undo:all", kind: "destroys-data", text: DELETES },
  { programs: "typeorm", sub: "schema:drop", kind: "destroys-data", text: DELETES },
  { programs: "knex", sub: "migrate:rollback", with: ["--all"], kind: "destroys-data", text: DELETES },
  { programs: "mix", sub: "ecto.drop|ecto.reset", kind: "destroys-data", text: DELETES },
  { programs: "dotnet", sub: "ef database drop", kind: "destroys-data", text: DELETES },
  { programs: "hasura", sub: "metadata clear", kind: "destroys-data", text: DELETES },
];

const TOOLS = new Set(
  "prisma sequelize sequelize-cli typeorm knex rails rake supabase alembic wrangler vercel netlify firebase cdk sst serverless rimraf".split(
    " ",
  ),
);
