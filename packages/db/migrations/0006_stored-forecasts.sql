CREATE TABLE "carillon"."forecasts" (
	"project_id" bigint PRIMARY KEY NOT NULL,
	"computed_at" timestamp (3) with time zone NOT NULL,
	"fires" integer[] NOT NULL,
	"is_complete" boolean NOT NULL,
	"groups" text NOT NULL,
	"has_all_groups" boolean NOT NULL
);
