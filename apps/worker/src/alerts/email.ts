import type { Outcome } from '@carillon/shared';
import { createTransport } from 'nodemailer';

export interface Email {
  to: string[];
  subject: string;
  text: string;
  /** The id is the same for each try, so that a mailbox can recognise a message that was sent twice. */
  messageId: string;
}

export type SendEmail = (email: Email) => Promise<Outcome>;

const STEP_TIMEOUT_MS = 10_000;

const NOT_CONFIGURED: Outcome = {
  kind: 'failed',
  isTransient: false,
  errorCode: 'not_configured',
  error: 'e-mail needs SMTP_URL, which this worker was started without',
};

/**
 * Sends e-mail through the installation's SMTP server. The operator chooses the server, so a project can't make a
 * worker connect to an address of its choice.
 */
export function createEmailSender({ smtpUrl, from }: { smtpUrl: string | null; from: string }): SendEmail {
  if (smtpUrl === null) return () => Promise.resolve(NOT_CONFIGURED);
  const transport = createTransport(
    {
      url: smtpUrl,
      connectionTimeout: STEP_TIMEOUT_MS,
      greetingTimeout: STEP_TIMEOUT_MS,
      socketTimeout: STEP_TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from },
  );
  return async ({ to, subject, text, messageId }) => {
    try {
      const { rejected } = await transport.sendMail({ to, subject, text, messageId });
      if (rejected.length < to.length) return { kind: 'succeeded' };
      return refusal('the SMTP server refused every recipient', false);
    } catch (error) {
      const { responseCode = 0, message } = error as Error & { responseCode?: number };
      // A 5yz reply is permanent (RFC 5321). A 4yz reply or a broken connection is worth another try.
      return refusal(`SMTP: ${message}`, responseCode < 500);
    }
  };
}

const refusal = (error: string, isTransient: boolean): Outcome => ({
  kind: 'failed',
  isTransient,
  errorCode: 'smtp',
  error,
});
