CREATE TABLE "domain_events" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"type" text NOT NULL,
	"subject" text NOT NULL,
	"detail" json NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"tries" smallint DEFAULT 0 NOT NULL,
	"next_try_at" timestamp (3) with time zone DEFAULT clock_timestamp(),
	"last_error" text,
	"handled_at" timestamp (3) with time zone,
	"report" json
);
--> statement-breakpoint
CREATE TABLE "tasks" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"key" text NOT NULL,
	"title" text NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"target" json,
	"reminder_sent_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "templates" (
	"project_id" bigint NOT NULL,
	"key" text NOT NULL,
	"description" text NOT NULL,
	"rule" json NOT NULL,
	"timezone" text,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "templates_project_id_key_pk" PRIMARY KEY("project_id","key")
);
--> statement-breakpoint
CREATE TABLE "user_events" (
	"user_id" bigint NOT NULL,
	"name" text NOT NULL,
	"project_id" bigint NOT NULL,
	"date" date NOT NULL,
	"local_time" text NOT NULL,
	"leap_day" text NOT NULL,
	"message" text,
	"schedule_key" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "user_events_user_id_name_pk" PRIMARY KEY("user_id","name")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" bigint NOT NULL,
	"key" text NOT NULL,
	"first_name" text NOT NULL,
	"last_name" text NOT NULL,
	"date_of_birth" date NOT NULL,
	"timezone" text NOT NULL,
	"target" json,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "domain_events_next_try" ON "domain_events" USING btree ("next_try_at") WHERE next_try_at is not null;--> statement-breakpoint
CREATE INDEX "domain_events_handled" ON "domain_events" USING btree ("handled_at") WHERE handled_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "tasks_key" ON "tasks" USING btree ("project_id","key");--> statement-breakpoint
CREATE INDEX "tasks_project" ON "tasks" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "tasks_due" ON "tasks" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "tasks_reminder_sent" ON "tasks" USING btree ("reminder_sent_at");--> statement-breakpoint
CREATE UNIQUE INDEX "users_key" ON "users" USING btree ("project_id","key");--> statement-breakpoint
CREATE INDEX "users_project" ON "users" USING btree ("project_id","id");