/** The reason of a failure as the label of a metric. The number of labels is bounded: any other code is `other`. */
export declare function failureLabel(errorCode: string): string;
